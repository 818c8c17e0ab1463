/** Time in whole milliseconds. Everything that decides takes it as an argument; only the daemon owns a clock. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };
