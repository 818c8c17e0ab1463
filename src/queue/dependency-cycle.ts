import type { QueueEntry } from './snapshot.ts';

/** The cycle of tasks, if an entry that needs these would wait for itself through others in the queue: none could ever land. */
export function dependencyCycle(
  open: readonly Pick<QueueEntry, 'task' | 'after'>[],
  task: string,
  needs: readonly string[],
): readonly string[] | undefined {
  const after = new Map(open.map((entry) => [entry.task, entry.after]));
  const seen = new Set<string>();
  const ways = needs.map((need) => [task, need]);
  for (const way of ways) {
    const last = way.at(-1)!;
    if (last === task) return way;
    if (seen.has(last)) continue;
    seen.add(last);
    ways.push(...(after.get(last) ?? []).map((need) => [...way, need]));
  }
  return undefined;
}
