import type { Absent, QueueEntry, QueueSnapshot } from './snapshot.ts';
import { ended } from './state.ts';

/** What an entry waits for in vain. */
export interface Vain {
  readonly task: string;
  readonly absent: Absent;
}

/**
 * Open entries that cannot land before a person does something: they wait, by themselves or behind others, for a task that
 * has not landed, is not in the queue, and that nobody is working on. By their ids.
 */
export function waitingInVain(snapshot: QueueSnapshot): Map<number, Vain> {
  const { absent } = snapshot;
  if (!absent || [...absent.values()].every((one) => one.comes)) return new Map();
  const open = snapshot.entries.filter((entry) => !ended(entry.state));
  const byTask = new Map(open.map((entry) => [entry.task, entry]));
  const found = new Map<number, Vain>();
  const look = (entry: QueueEntry, above: ReadonlySet<number>): Vain | undefined => {
    const known = found.get(entry.id);
    if (known || above.has(entry.id)) return known;
    for (const task of entry.after) {
      if (snapshot.landedTasks.has(task)) continue;
      const before = byTask.get(task);
      const gone = before ? undefined : absent.get(task);
      const vain = before ? look(before, new Set([...above, entry.id])) : gone && !gone.comes ? { task, absent: gone } : undefined;
      if (!vain) continue;
      found.set(entry.id, vain);
      return vain;
    }
    return undefined;
  };
  for (const entry of open) look(entry, new Set());
  return found;
}
