import type { Group, QueueEntry, QueueSnapshot } from './snapshot.ts';

export interface Mark {
  readonly cleared: number;
  readonly reds: readonly number[];
}

export const NO_MARK: Mark = { cleared: 0, reds: [] };

/** The risk after one red alone: as likely bad as unlucky, at 5 % bad and 5 % flakes. */
const RED_RISK = 0.5;
const CLEARED_RISK = 0.01;
/** Of ten entries that touch the same paths about one is stacked with it, and 4 in 1,000 such pairs break each other. */
const OVERLAP_RISK = 0.0004;
/**
 * The factor of every budget of failure mass. Best of 6 workloads once the cost of finding a culprit counts; flat from 0.3 to 0.5. With one slot each
 * check must tell as much as possible: ln 2 makes red as likely as green.
 */
const eagerness = (slots: number) => (slots === 1 ? Math.LN2 : slots === 2 ? 0.6 : 0.4);

/** The share of entries that turned out bad so far. */
export interface Experience {
  readonly record: QueueSnapshot['record'];
  /** Groups that hold a culprit which is not found yet. */
  readonly redGroups: number;
  readonly slots: number;
}

export const experienceOf = ({ snapshot, slots }: { snapshot: QueueSnapshot; slots: number }, groups: readonly Group[]): Experience => ({
  record: snapshot.record,
  redGroups: groups.filter((group) => !group.yes).length,
  slots,
});

/** With one or two slots the size of a group decides the cost of the search, and an open group tells as much as a rejection. */
function baseRisk({ record: { passes, fails }, redGroups, slots }: Experience): number {
  if (slots > 2) return (fails + 1) / (passes + fails + 20);
  return (fails + redGroups + 0.5) / (passes + fails + redGroups + 10);
}

/** The probability that the entry turns a green stack red. */
export function riskOf(entry: QueueEntry, experience: Experience, mark: Mark): number {
  if (mark.cleared > 0) return CLEARED_RISK;
  const risk = baseRisk(experience) + OVERLAP_RISK * entry.overlaps;
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
export function budgetsOf(chain: number, slots: number): number[] {
  const budgets: number[] = [];
  for (let g = 0; budgets.length < chain; g = Math.exp(g - 1)) budgets.unshift(eagerness(slots) * (1 - g));
  return budgets;
}

/** The usual `queue.batch`. Somebody who set a smaller one means it. */
const USUAL_BATCH = 8;

/** The most entries of a segment. With few slots larger groups pay: at one slot 64 took 91 T where 8 took 111. */
export const mostOf = (batch: number, slots: number) => (batch < USUAL_BATCH ? batch : batch * Math.max(1, Math.floor(4 / slots)));
