/** Time in whole milliseconds. Everything that decides takes it as an argument; only the daemon owns a clock. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** A clock that a test moves by hand. */
export function handClock(start = 0): Clock & { advance(ms: number): void } {
  let at = start;
  return { now: () => at, advance: (ms) => (at += ms) };
}
