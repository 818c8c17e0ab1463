import { ask } from './line.ts';
import { isReady, type Look } from './look.ts';
import type { QueuePlan } from './plan.ts';

export type Settled = Pick<QueuePlan, 'handback' | 'refuse' | 'contained'>;

/**
 * Merges every entry that could stand on the head onto it, and settles what needs no check. An entry that needs something
 * unlanded is not judged by this head: it may well merge once that has landed.
 */
export function settle(look: Look): Settled {
  const settled: Settled = { handback: [], refuse: [], contained: [] };
  for (const entry of look.open.values()) {
    if (!isReady(look, entry)) continue;
    const result = look.snapshot.stacked.get(`${entry.id}`);
    if (!result) ask(look, [], entry);
    else if (result.kind === 'contained') settled.contained.push(entry.id);
    else if (result.kind === 'conflict') settled.handback.push({ entry: entry.id, report: result.report });
    else if (result.kind === 'error') settled.refuse.push({ entry: entry.id, reason: result.reason });
    if (result && result.kind !== 'clean') look.gone.add(entry.id);
  }
  return settled;
}
