import { ask } from './line.ts';
import { isReady, type Look, older } from './look.ts';
import type { QueuePlan } from './plan.ts';

export type Settled = Pick<QueuePlan, 'handback' | 'refuse' | 'contained'>;

/** Times the entries that can be under check at once: with all of 200 merged onto each new head, a change cost 20 merges. */
const AHEAD = 2;

/**
 * Merges the oldest entries that could stand on the head onto it, and settles what needs no check. An entry that needs
 * something unlanded is not judged by this head: it may well merge once that has landed.
 */
export function settle(look: Look): Settled {
  const settled: Settled = { handback: [], refuse: [], contained: [] };
  const most = AHEAD * look.slots * look.snapshot.batch;
  // Counted apart: what waits for a person's yes may wait for days, and must not keep others from being merged.
  const near = { others: most, forYes: most };
  for (const entry of [...look.open.values()].sort(older)) {
    if (!isReady(look, entry)) continue;
    const result = look.snapshot.stacked.get(`${entry.id}`);
    const isNear = near[entry.awaitsYes ? 'forYes' : 'others']-- > 0;
    if (!result) {
      if (isNear) ask(look, [], entry);
    } else if (result.kind === 'contained') settled.contained.push(entry.id);
    else if (result.kind === 'conflict') settled.handback.push({ entry: entry.id, report: result.report });
    else if (result.kind === 'error') settled.refuse.push({ entry: entry.id, reason: result.reason });
    if (result && result.kind !== 'clean') look.gone.add(entry.id);
  }
  return settled;
}
