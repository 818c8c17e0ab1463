/** Counts who is there over time. */
export interface Company {
  /** Somebody comes. What comes back is told when they go, and says how many were there meanwhile, themselves included. */
  enter(now: number): (now: number) => number;
}

/**
 * On average, to the nearest whole: who came alone and was joined was not alone. Counted at the beginning, the first of
 * several that begin together passed for one alone that takes long, and a check that fills the machine went up to every
 * slot there is.
 */
export function company(): Company {
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
