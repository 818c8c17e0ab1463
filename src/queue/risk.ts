import type { QueueEntry, QueueSnapshot } from './snapshot.ts';

export interface Mark {
  readonly cleared: number;
  readonly reds: readonly number[];
}

export const NO_MARK: Mark = { cleared: 0, reds: [] };

/** Seen red alone once: as likely bad as unlucky, at 5 % bad and 5 % flakes. */
const RED_RISK = 0.5;
const CLEARED_RISK = 0.01;
/** Of ten entries that touch its paths about one is stacked with it, and 4 in 1,000 such pairs break each other. */
const OVERLAP_RISK = 0.0004;
/** Best of 6 workloads once the cost of finding a culprit counts; flat from 0.3 to 0.5. */
const EAGERNESS = 0.4;

/** The probability that the entry turns a green stack red. */
export function riskOf(entry: QueueEntry, record: QueueSnapshot['record'], mark: Mark): number {
  if (mark.cleared > 0) return CLEARED_RISK;
  const base = (record.fails + 1) / (record.passes + record.fails + 20);
  const risk = base + OVERLAP_RISK * entry.overlaps;
  return Math.min(0.9, Math.max(0.002, mark.reds.length > 0 ? Math.max(risk, RED_RISK) : risk));
}

/** Failure mass: adds up over a segment, where probabilities would not. */
export const massOf = (risk: number) => -Math.log(1 - risk);

/** The number of slots that the chain gets: up to a quarter go to the search for culprits. */
export const chainSlots = (slots: number, groups: number) => Math.max(1, slots - Math.min(groups, Math.floor(slots / 4)));

/**
 * The failure mass that each segment of a chain of `slots` may have: small in front, where a red costs everything behind.
 * The cut that lands the most per round has masses 1 − g(slots−k) with g(0)=0, g(n)=e^(g(n−1)−1).
 */
export function budgetsOf(slots: number): number[] {
  const budgets: number[] = [];
  for (let g = 0; budgets.length < slots; g = Math.exp(g - 1)) budgets.unshift(EAGERNESS * (1 - g));
  return budgets;
}
