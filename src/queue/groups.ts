import { hasLanded, isReady, type QueueFacts } from './facts.ts';
import type { Chain, Group, Trial } from './snapshot.ts';

/**
 * The number of entries at the front of a group that a trial speaks about. Entries in front that have left the group since are known to be
 * green, so the trial speaks about the rest; 0 if it speaks about others.
 */
export function reach(trial: Trial, ids: Chain): number {
  const from = trial.ids.indexOf(ids[0]!);
  const rest = trial.ids.slice(from);
  return from >= 0 && rest.every((id, at) => ids[at] === id) ? rest.length : 0;
}

/** The number of entries at the front that can be stacked on the head, up to the first that needs something unlanded outside the group. */
export function reachable(facts: QueueFacts, group: Group): number {
  const tasks = new Set<string>();
  for (const [at, id] of group.ids.entries()) {
    const entry = facts.open.get(id)!;
    if (!isReady(facts, entry) && !entry.after.every((task) => tasks.has(task) || hasLanded(facts, task))) return at;
    tasks.add(entry.task);
  }
  return group.ids.length;
}

/** The number of groups that can be worked on: the others wait for something to land. */
export const countActive = (facts: QueueFacts, groups: readonly Group[]) => groups.filter((group) => reachable(facts, group) > 0).length;
