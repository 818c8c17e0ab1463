/** Counts how many checks run at the same time. */
export interface Concurrency {
  /** A check begins. Call the returned function when it ends: it answers how many ran meanwhile, itself included. */
  enter(now: number): (now: number) => number;
}

/**
 * Takes the average, rounded: a check that began alone and was joined by others did not run alone. When only the beginning counted, the
 * first of several that began together looked like a slow check that runs alone, and a check that fills the machine got every slot.
 */
export function countConcurrency(): Concurrency {
  let [count, sum, last] = [0, 0, 0];
  const pass = (now: number) => {
    sum += count * (now - last);
    last = now;
  };
  return {
    enter(from) {
      pass(from);
      count++;
      const before = sum;
      return (until) => {
        pass(until);
        const there = until > from ? (sum - before) / (until - from) : count;
        count--;
        return Math.max(1, Math.round(there));
      };
    },
  };
}
