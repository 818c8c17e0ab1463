/** Time in whole milliseconds. Everything that decides takes it as an argument; only the daemon owns a clock. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** The longest that a timer can wait, 24.8 days: node lets one that is to wait longer ring at once. */
export const TIMER_MS = 2 ** 31 - 1;
