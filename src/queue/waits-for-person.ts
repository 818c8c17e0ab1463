import { ended } from '../work/entry/state.ts';
import { lacksOnlyYes } from './green-lacks-approval.ts';
import type { Absent, QueueEntry, QueueSnapshot } from './snapshot.ts';

/** The task that an entry waits for, and that only a person can move. */
export interface WaitForPerson {
  readonly task: string;
  readonly absent: Absent;
  /** That task is in the queue and green: it waits for a person's yes, or for their decision about its review. */
  readonly yes?: true;
}

/**
 * Open entries, by id, that cannot land before a person does something: they wait, directly or behind others, for a person's yes, or for a
 * task that has not landed, is not in the queue, and that nobody works on.
 */
export function waitsForPerson(snapshot: QueueSnapshot): Map<number, WaitForPerson> {
  const { absent = new Map<string, Absent>() } = snapshot;
  const open = snapshot.entries.filter((entry) => !ended(entry.state));
  const asks = new Map(
    open.filter((entry) => lacksOnlyYes(snapshot, entry) && entry.review?.person !== false).map((entry) => [entry.id, yesFor(entry)]),
  );
  if (asks.size === 0 && [...absent.values()].every((one) => one.comes)) return new Map();
  const byTask = new Map(open.map((entry) => [entry.task, entry]));
  const found = new Map<number, WaitForPerson>(asks);
  const look = (entry: QueueEntry, above: ReadonlySet<number>): WaitForPerson | undefined => {
    const known = found.get(entry.id);
    if (known || above.has(entry.id)) return known;
    for (const task of entry.after) {
      if (snapshot.landedTasks.has(task)) continue;
      const before = byTask.get(task);
      const gone = before ? undefined : absent.get(task);
      const wait = before ? look(before, new Set([...above, entry.id])) : gone && !gone.comes ? { task, absent: gone } : undefined;
      if (!wait) continue;
      found.set(entry.id, wait);
      return wait;
    }
    return undefined;
  };
  for (const entry of open) look(entry, new Set());
  return found;
}

function yesFor({ task, review }: QueueEntry): WaitForPerson {
  const name = task.slice(task.indexOf('/') + 1);
  if (review) return { task, absent: { is: `is green, and ${review.text}`, comes: false, next: 'furrow next' }, yes: true };
  return { task, absent: { is: 'passed its checks and waits for your approval', comes: false, next: `furrow approve ${name}` }, yes: true };
}
