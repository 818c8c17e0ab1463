import type { IncomingMessage } from 'node:http';
import type { Budget } from './request-budget.ts';

const MB = 1024 * 1024;

/** A payload; one that is longer is not kept. */
const MAX_BODY = MB;
/** These hold all that a tool has printed, or a file as it was before an edit. */
const MAX_RESULT = 16 * MB;
const RESULTS: ReadonlySet<string> = new Set(['PostToolUse', 'PostToolUseFailure', 'AfterTool']);
/** This much of a longer one is read and dropped, so that its sender gets the answer; after that the connection is closed. */
const MOST_DROPPED = 64 * MB;

/** The payload of a hook takes the place of one that is too large: its sender is told so, and a tool is not used. */
export const TOO_LARGE = Symbol('a payload that is too large');

/** The whole text of a request; `busy` when there is no room for it, and `undefined` when it goes on without end. */
export async function readBody(
  request: IncomingMessage,
  name: string,
  room: Budget,
): Promise<string | typeof TOO_LARGE | 'busy' | undefined> {
  const most = RESULTS.has(name) ? MAX_RESULT : MAX_BODY;
  let chunks: Buffer[] = [];
  let [size, kept] = [0, 0];
  let busy = false;
  try {
    for await (const chunk of request as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size > MOST_DROPPED) return undefined;
      if (size <= most && !busy && room.take(chunk.length)) {
        kept += chunk.length;
        chunks.push(chunk);
        continue;
      }
      busy ||= size <= most;
      room.give(kept);
      [chunks, kept] = [[], 0];
    }
    if (busy) return 'busy';
    return size > most ? TOO_LARGE : Buffer.concat(chunks).toString('utf8');
  } finally {
    room.give(kept);
  }
}
