import { isSatisfied } from './derive.ts';
import type { ScannedTask } from './scan.ts';
import type { FileFacts, Task } from './store.ts';

/** The consequences of a changed file for a task that the store knows. */
export interface Followed {
  readonly set: FileFacts;
  /** `retried`: a person's word for a parked task. `anew`: the number belongs to another task now, which starts from nothing. */
  readonly on: 'retried' | 'anew' | null;
  /** Why nothing about it has to be asked any more. */
  readonly settle: string | null;
}

/**
 * The standing in the store is the truth, the text of the file is the person's. A changed status or block is their word
 * for a task that is open or parked; what has landed is never opened again by a file. A file that was turned back (by a
 * stash, a switch, a checkout) is nobody's word: it counts for what is still to be started, and for nothing else.
 */
export function follow(row: Task, file: ScannedTask): Followed {
  const turned = file.updated < row.newest;
  const kept = turned && (row.standing === 'parked' || isDoneByHand(row));
  const status = kept ? row.status : file.status;
  const blocked = kept ? row.blocked === 1 : file.blocked;
  const other = !isSameTask(row, file);
  const set = {
    ...columns(file),
    missing: null,
    ...(kept && { status, blocked: row.blocked, block_reason: row.block_reason }),
    ...(other && row.standing === 'landed' && { title: row.title, created: row.created }),
    newest: turned && (kept || row.standing !== 'open') ? row.newest : file.updated,
  };
  const unblocked = row.blocked === 1 && !blocked;
  const moved = row.status !== status;
  const settled = moved && isSatisfied({ standing: row.standing, status });
  const settle = unblocked ? 'unblocked on the board' : settled ? `${status} on the board` : null;
  if (other && (row.standing === 'parked' || row.standing === 'open'))
    return { set, on: 'anew', settle: settle ?? 'another task has its number' };
  return { set, on: row.standing === 'parked' && !blocked && (unblocked || moved) ? 'retried' : null, settle };
}

/** Written, moved or copied, it is the same task as long as one of these stays: people rename tasks, and tools keep `created`. */
export function isSameTask(row: Pick<Task, 'title' | 'created'>, file: Pick<Task, 'title' | 'created'>): boolean {
  return row.title === file.title || row.created === file.created;
}

/** The file is an older version than one that the store knows. Nothing is written into it: on its return it would be a conflict. */
export function isTurnedBack(row: Pick<Task, 'updated' | 'newest'>): boolean {
  return row.updated < row.newest;
}

/** The store has something to write into the file, and the file is the one to write it into. */
export function isWritable(row: Pick<Task, 'want' | 'missing' | 'updated' | 'newest'>): boolean {
  return row.want !== null && row.missing === null && !isTurnedBack(row);
}

/** An agent had it, or somebody submitted it: it is not forgotten with its file. */
export function wasWorkedOn(row: Pick<Task, 'standing' | 'attempt' | 'taken'>): boolean {
  return row.attempt > 0 || row.standing !== 'open' || row.taken !== null;
}

const isDoneByHand = (row: Task) => row.standing === 'open' && (row.status === 'done' || row.status === 'archived');

export const columns = (task: ScannedTask) => ({
  phase: task.phase,
  id: task.id,
  file: task.file,
  hash: task.hash,
  title: task.title,
  status: task.status,
  priority: task.priority,
  class: task.class,
  due: task.due,
  created: task.created,
  updated: task.updated,
  depends_on: JSON.stringify(task.dependsOn),
  tags: JSON.stringify(task.tags),
  agent: task.agent,
  paths: JSON.stringify(task.paths),
  needs: JSON.stringify(task.needs),
  check: task.check,
  land: task.land,
  review: task.review === null ? null : Number(task.review),
  race: task.race === null ? null : JSON.stringify(task.race),
  blocked: task.blocked ? 1 : 0,
  block_reason: task.blockReason,
  claimed_by: task.claimedBy,
  claimed_at: task.claimedAt,
});
