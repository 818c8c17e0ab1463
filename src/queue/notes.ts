import type { QueueFacts } from './facts.ts';
import { segmentsOf } from './links.ts';
import type { Marks } from './marks.ts';
import type { Places } from './places.ts';
import type { WantedCheck } from './plan-types.ts';
import type { Search } from './search.ts';
import { type Group, NO_NOTES, type QueueNotes, type Trial } from './snapshot.ts';

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
    return { ...group, trials: [...stale, ...current.map((want) => ({ ids: want.chain, tree: want.tree, headTree }))] };
  });
  const marked = [...marks].filter(([id, mark]) => facts.live.has(id) && mark.cleared + mark.reds.length > 0);
  const forYes = [...green].filter(([id]) => facts.live.has(id));
  const notes = { segments: segmentsOf(chain), held, groups, marks: Object.fromEntries(marked) };
  return forYes.length > 0 ? { ...notes, green: Object.fromEntries(forYes) } : notes;
}

/** The notes as they were stored. An earlier version called the trials of a group probes. */
export function readNotes(stored: string | undefined): QueueNotes {
  if (stored === undefined) return NO_NOTES;
  type Earlier = Omit<Group, 'trials'> & { readonly trials?: readonly Trial[]; readonly probes?: readonly Trial[] };
  const notes = JSON.parse(stored) as Omit<QueueNotes, 'groups'> & { readonly groups: readonly Earlier[] };
  return { ...notes, groups: notes.groups.map(({ probes, ...group }) => ({ ...group, trials: group.trials ?? probes ?? [] })) };
}
