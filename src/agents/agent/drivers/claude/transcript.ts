import type { Usage } from '../../event.ts';
import { count, type Fields, fields, list, parsed, text } from '../json.ts';

/** The state of the conversation by its last line: in a turn, or after one. */
export type Standing =
  | { readonly at: 'open' }
  | { readonly at: 'ended'; readonly last: string }
  | { readonly at: 'failed'; readonly error: string; readonly said: string }
  | { readonly at: 'interrupted' };

export interface Transcript {
  /** Takes a line in; gives how the conversation stands when that line changed it. */
  take(line: string): Standing | undefined;
  standing(): Standing;
  usage(): Usage;
}

const OPEN: Standing = { at: 'open' };
const INTERRUPTED = /^\[Request interrupted by user( for tool use)?\]$/;

/** Copies of whole requests to the model: 9 of 10 bytes of a transcript, and they quote everything else. */
const COPY = '{"type":"api-request';

export function transcript(): Transcript {
  const spent = new Map<string, Fields>();
  let standing: Standing = { at: 'open' };
  let model: string | undefined;
  let queued: unknown;

  const fromAgent = (line: Fields, message: Fields): Standing | undefined => {
    const said = saidIn(message);
    if (line['isApiErrorMessage'] === true) return { at: 'failed', error: text(line['error']), said };
    if (message['model'] === '<synthetic>') return undefined;
    // One line for each part of an answer, each with the figures of the whole.
    spent.set(text(message['id']), fields(message['usage']));
    model = text(message['model']) || model;
    if (line['isSidechain'] === true) return undefined;
    return message['stop_reason'] === 'end_turn' ? { at: 'ended', last: said } : OPEN;
  };

  const fromUser = (line: Fields, message: Fields): Standing | undefined => {
    if (line['isSidechain'] === true) return undefined;
    if (line['promptSource'] === 'queued') queued = line['promptId'];
    if (!INTERRUPTED.test(saidIn(message))) return OPEN;
    // Messages in the queue run at once, and are written before the interrupt that released them.
    return queued !== undefined && line['promptId'] === queued ? OPEN : { at: 'interrupted' };
  };

  return {
    take(line) {
      if (line === '' || line.startsWith(COPY)) return undefined;
      const entry = parsed(line);
      const message = fields(entry?.['message']);
      if (!entry || message['role'] === undefined) return undefined;
      const now = message['role'] === 'assistant' ? fromAgent(entry, message) : fromUser(entry, message);
      if (now) standing = now;
      return now;
    },
    standing: () => standing,
    usage: () => ({ ...total(spent.values()), ...(model && { model }) }),
  };
}

function total(spent: Iterable<Fields>): Usage {
  const sum = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
  for (const one of spent) {
    sum.input += count(one['input_tokens']);
    sum.output += count(one['output_tokens']);
    sum.cacheRead += count(one['cache_read_input_tokens']);
    sum.cacheWrite += count(one['cache_creation_input_tokens']);
  }
  return sum;
}

/** The words in a message, without what tools gave. */
function saidIn(message: Fields): string {
  const content = message['content'];
  if (typeof content === 'string') return content;
  return list(content)
    .map(fields)
    .filter((part) => part['type'] === 'text')
    .map((part) => text(part['text']))
    .join('\n');
}

/** The place of a text for the agent in a transcript line: taken in, or waiting in claude's own queue. */
export function holds(line: string, stamp: string): 'conversation' | 'queue' | undefined {
  if (!line.includes(stamp) || line.startsWith(COPY)) return undefined;
  const entry = parsed(line) ?? {};
  const attachment = fields(entry['attachment']);
  if (entry['type'] === 'queue-operation') return 'queue';
  if (attachment['type'] === 'queued_command') return text(attachment['prompt']).includes(stamp) ? 'conversation' : undefined;
  if (attachment['type'] === 'hook_additional_context')
    return list(attachment['content']).some((one) => text(one).includes(stamp)) ? 'conversation' : undefined;
  const message = fields(entry['message']);
  return message['role'] === 'user' && saidIn(message).includes(stamp) ? 'conversation' : undefined;
}
