import { isSatisfied } from './derive.ts';
import type { ScannedTask } from './scan.ts';
import type { FileFacts, Task } from './store.ts';

/** The consequences of a changed file for a task that the store knows. */
interface Followed {
  readonly set: FileFacts;
  /** `retried`: a person wants a parked task done again. `anew`: the number now belongs to another task, which starts from nothing. */
  readonly on: 'retried' | 'anew' | null;
  /** The reason why questions about it can be closed. */
  readonly settle: string | null;
}

/**
 * The store decides the standing; the file's text is the person's. A changed status or block counts for a task that is open or parked; a
 * file never reopens a landed task. An older version of a file (turned back by a stash, a switch, a checkout) counts only for what is still
 * to be started.
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

/**
 * True if one of these is unchanged: then it is the same task, even written, moved or copied. People rename tasks, and tools keep
 * `created`.
 */
export function isSameTask(row: Pick<Task, 'title' | 'created'>, file: Pick<Task, 'title' | 'created'>): boolean {
  return row.title === file.title || row.created === file.created;
}

/** True if the file is an older version than one that the store knows. We write nothing into it: that would become a conflict later. */
export function isTurnedBack(row: Pick<Task, 'updated' | 'newest'>): boolean {
  return row.updated < row.newest;
}

/** True if the store has something to write into the file, and this version is the one to write to. */
export function isWritable(row: Pick<Task, 'want' | 'missing' | 'updated' | 'newest'>): boolean {
  return row.want !== null && row.missing === null && !isTurnedBack(row);
}

/** True if an agent had it, or somebody submitted it: then it stays when its file is gone. */
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
  model: task.model,
  effort: task.effort,
  issue: task.issue,
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
