import { isReady, older, type QueueFacts } from './facts.ts';
import { mergeOnto } from './links.ts';
import type { QueuePlan } from './plan-types.ts';
import type { Chain } from './snapshot.ts';

/** Entries that end without a check, and merges onto the head that are still unknown. */
export interface Ends extends Pick<QueuePlan, 'handback' | 'refuse' | 'contained'> {
  readonly merges: readonly Chain[];
}

/** A factor on the entries that can be under check at once: with all of 200 merged onto each new head, a change cost 20 merges. */
const AHEAD = 2;

/**
 * Merges the oldest ready entries onto the head, and ends those that need no check. An entry that needs something unlanded is not judged by
 * this head: it may merge once that has landed.
 */
export function endsOf(facts: QueueFacts): Ends {
  const { stacked, batch } = facts.snapshot;
  const ready = [...facts.open.values()].filter((entry) => isReady(facts, entry)).sort(older);
  const most = AHEAD * facts.slots * batch;
  // Counted separately: an entry may wait for a person's yes for days, and must not keep others from being merged.
  const near = new Set([true, false].flatMap((yes) => ready.filter((entry) => entry.awaitsYes === yes).slice(0, most)));
  const known = ready.map((entry) => ({ entry: entry.id, result: stacked.get(`${entry.id}`) }));
  return {
    merges: ready.filter((entry) => near.has(entry) && !stacked.has(`${entry.id}`)).map((entry) => mergeOnto([], entry)),
    contained: known.flatMap(({ entry, result }) => (result?.kind === 'contained' ? [entry] : [])),
    handback: known.flatMap(({ entry, result }) => (result?.kind === 'conflict' ? [{ entry, report: result.report }] : [])),
    refuse: known.flatMap(({ entry, result }) => (result?.kind === 'error' ? [{ entry, ...result }] : [])),
  };
}
