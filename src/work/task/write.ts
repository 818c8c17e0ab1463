import type { Fields } from './field.ts';
import { readFields } from './fields.ts';
import { patch, splitOrThrow } from './frontmatter.ts';
import { appendNote, replaceBody } from './note.ts';
import type { Change } from './patch-yaml.ts';
import { type Replaced, replaceIfSame } from './replace.ts';
import { statusChange, timestamp } from './status.ts';

export { statusChange } from './status.ts';

/** The changes to a task file. A new `status` also sets the times that kanban-md keeps about a move. */
export interface TaskChange {
  set?: Record<string, Change>;
  note?: string;
  body?: string;
  /** The board's statuses, when they are not the usual ones. */
  statuses?: readonly string[];
}

/** Patches a task file if it still has this hash. `changed`: somebody's edit came first; read the board again and decide again. */
export async function updateTask(
  file: string,
  expectedHash: string,
  change: TaskChange,
  now: number,
  onHash?: (hash: string) => void,
): Promise<Replaced> {
  return replaceIfSame(file, expectedHash, (text) => changeText(text, change, now), onHash);
}

export function changeText(text: string, change: TaskChange, now: number): string {
  let next = patch(text, fieldChanges(text, change, now));
  if (change.body !== undefined) next = replaceBody(next, change.body);
  if (change.note !== undefined) next = appendNote(next, change.note, now);
  return next;
}

/** `started` and `completed` follow from the file, not from what the caller remembers of it. */
function fieldChanges(text: string, change: TaskChange, now: number): Record<string, Change> {
  const status = change.set?.['status'];
  if (typeof status !== 'string') return { ...change.set, updated: timestamp(now) };
  const { started: _started, completed: _completed, ...rest } = change.set ?? {};
  return { ...rest, ...statusChange(statusFields(text), status, now, change.statuses) };
}

function statusFields(text: string): { status: string; started: string | null; completed: string | null } {
  const read = readFields(splitOrThrow(text).head);
  const fields: Fields = read.ok ? read.fields : new Map();
  const word = (key: string) => {
    const value = fields.get(key)?.value;
    return typeof value === 'string' ? value : null;
  };
  return { status: word('status') ?? '', started: word('started'), completed: word('completed') };
}
