import { appendFile, open, rename, stat, truncate } from 'node:fs/promises';
import { isErrno } from '../../platform/error.ts';

/** Two of these are kept: some ten thousand events. */
const MOST_BYTES = 4 * 1024 * 1024;
/** Enough for the longest event. */
const TAIL_BYTES = 256 * 1024;

interface Numbered {
  readonly seq: number;
}

/** A file with one event a line, which grows at its end and is renamed to `PATH.1` when it is large. */
export interface EventLog {
  /** The number of the last event in it; 0: none. */
  last(): Promise<number>;
  append(events: readonly Numbered[]): Promise<void>;
  /** Puts it aside, because its numbers are not those of this store. */
  restart(): Promise<void>;
}

export function eventLog(path: string, most = MOST_BYTES): EventLog {
  const aside = () => rename(path, `${path}.1`).catch(ignoreMissing);
  return {
    last: () => lastOf(path),
    async append(events) {
      if (events.length === 0) return;
      if ((await sizeOf(path)) > most) await aside();
      await appendFile(path, events.map((event) => `${JSON.stringify(event)}\n`).join(''), { mode: 0o600 });
    },
    restart: aside,
  };
}

/** Reads the number of the last whole line; a half one, of a daemon that was killed, is cut off. */
async function lastOf(path: string): Promise<number> {
  const size = await sizeOf(path);
  if (size === 0) return 0;
  const file = await open(path, 'r');
  const from = Math.max(0, size - TAIL_BYTES);
  const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(size - from), position: from }).finally(() => file.close());
  const tail = buffer.subarray(0, bytesRead);
  const end = tail.lastIndexOf('\n') + 1;
  if (end < tail.length) await truncate(path, from + end);
  const line = tail.subarray(0, end).toString('utf8').trimEnd().split('\n').at(-1);
  return line ? seqIn(line) : 0;
}

function seqIn(line: string): number {
  try {
    const { seq } = JSON.parse(line) as Partial<Numbered>;
    return Number.isSafeInteger(seq) ? seq! : 0;
  } catch {
    return 0;
  }
}

async function sizeOf(path: string): Promise<number> {
  return stat(path).then((found) => found.size, zeroIfMissing);
}

function zeroIfMissing(error: unknown): number {
  ignoreMissing(error);
  return 0;
}

function ignoreMissing(error: unknown): void {
  if (!isErrno(error, 'ENOENT')) throw error;
}
