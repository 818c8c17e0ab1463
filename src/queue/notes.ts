import type { QueueFacts } from './facts.ts';
import { segmentsOf } from './links.ts';
import type { Marks } from './marks.ts';
import type { Places } from './places.ts';
import type { WantedCheck } from './plan-types.ts';
import type { Search } from './search.ts';
import type { Group, QueueNotes } from './snapshot.ts';

/** The notes for the next plan. `begun`: the checks that this one starts. */
export function notesOf(
  facts: QueueFacts,
  { chain, held, green }: Pick<Places, 'chain' | 'held' | 'green'>,
  marks: Marks,
  searches: readonly Search[],
  begun: readonly WantedCheck[],
): QueueNotes {
  const { headTree } = facts.snapshot;
  const trees = new Set([...begun.map((check) => check.tree), ...facts.busyTrees]);
  const groups = searches.map(({ group, wants, stale }): Group => {
    const current = wants.filter((want) => want.purpose !== 'head' && trees.has(want.tree));
    return { ...group, probes: [...stale, ...current.map((want) => ({ ids: want.chain, tree: want.tree, headTree }))] };
  });
  const marked = [...marks].filter(([id, mark]) => facts.live.has(id) && mark.cleared + mark.reds.length > 0);
  const forYes = [...green].filter(([id]) => facts.live.has(id));
  const notes = { segments: segmentsOf(chain), held, groups, marks: Object.fromEntries(marked) };
  return forYes.length > 0 ? { ...notes, green: Object.fromEntries(forYes) } : notes;
}
