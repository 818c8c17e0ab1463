/** The time and outcome of one check run, from which the number of slots is chosen. */
export interface Timed {
  readonly check: string;
  readonly outcome: 'pass' | 'fail' | 'error';
  readonly ms: number;
  /** The number of checks that ran meanwhile, itself included. */
  readonly beside: number;
  readonly timedOut: boolean;
}

/** Passes at a width before it is judged. */
const ENOUGH = 3;
/** One more slot must give this much more throughput; less is not worth what the agents lose. */
const GAIN = 1.15;
/** A width that did not pay is tried again after so many runs: the project, and the machine's other load, change. */
const REST = 50;

type Means = Map<string, { n: number; ms: number }>;

/**
 * Chooses how many checks run at a time, by replaying earlier runs: it begins at 1 and goes up only while checks per hour do. A check that
 * uses every core itself is slower beside another, and stays alone. A timeout beside others steps back at once.
 */
export function chooseWidth(runs: readonly Timed[], most: number): number {
  const means = new Map<number, Means>();
  let width = 1;
  let rest = 0;
  let seen = 0;
  for (const run of runs) {
    rest = Math.max(0, rest - 1);
    if (run.timedOut && run.beside > 1) {
      [width, seen, rest] = [Math.max(1, Math.min(width, run.beside) - 1), 0, REST];
      continue;
    }
    if (run.outcome !== 'pass') continue;
    note(means, run);
    // A run with fewer beside it than there is room for says nothing about this width.
    if (run.beside !== width || ++seen < ENOUGH) continue;
    if (width > 1 && gainOf(means, width) < GAIN) [width, rest] = [width - 1, REST];
    else if (rest === 0 && width < most) {
      width += 1;
      means.delete(width);
    }
    seen = 0;
  }
  return Math.max(1, Math.min(width, most));
}

function note(means: Map<number, Means>, { beside, check, ms }: Timed): void {
  const at = means.get(beside) ?? new Map();
  means.set(beside, at);
  const known = at.get(check) ?? { n: 0, ms: 0 };
  // The last few count most: a mean over all of history would never notice that the project grew.
  const n = Math.min(known.n + 1, 2 * ENOUGH);
  at.set(check, { n, ms: known.ms + (ms - known.ms) / n });
}

/** Throughput at a width divided by that at one less, from the checks known at both. */
function gainOf(means: ReadonlyMap<number, Means>, width: number): number {
  const [more, less] = [means.get(width), means.get(width - 1)];
  if (!more || !less) return Number.POSITIVE_INFINITY;
  const both = [...more.keys()].filter((check) => less.has(check));
  const time = (at: Means) => both.reduce((sum, check) => sum + at.get(check)!.ms, 0);
  return both.length === 0 ? Number.POSITIVE_INFINITY : (width * time(less)) / ((width - 1) * Math.max(1, time(more)));
}

/** Counts how many checks run at the same time. */
interface Concurrency {
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
