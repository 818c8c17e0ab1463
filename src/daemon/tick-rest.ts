import { backoff } from '../platform/backoff.ts';

const FIRST_MS = 2000;
const LONGEST_MS = 60_000;

/** The ticks that failed since the last one that worked. */
export interface FailedTicks {
  readonly count: number;
  /** `awake` time at which the last of them ended. */
  readonly at: number;
  /** Something has happened since: a call, a changed file, an agent that ended. */
  readonly woken: boolean;
}

export const NONE_FAILED: FailedTicks = { count: 0, at: 0, woken: false };

/** The rest after so many failures in a row. */
export const restMs = (count: number): number => backoff(count, FIRST_MS, LONGEST_MS);

/**
 * The `awake` time from which a tick may begin. News cuts a long rest to the first one: one step of a tick fails, and the others still have agents
 * to end and people to hear. A tick that failed and had woken the loop itself was tried again at once, 50 times in the time of one.
 */
export function restsUntil({ count, at, woken }: FailedTicks): number {
  if (count === 0) return 0;
  return at + restMs(woken ? 1 : count);
}
