interface Percentiles {
  readonly count: number;
  readonly p50_ms: number;
  readonly p95_ms: number;
  readonly longest_ms: number;
  readonly total_ms: number;
}

/** The value that so many of a hundred are at or below, by nearest rank: always one that was really measured. */
function rank(sorted: readonly number[], percent: number): number {
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? 0;
}

const sum = (times: readonly number[]) => times.reduce((total, ms) => total + ms, 0);

export function percentilesOf(times: readonly number[]): Percentiles {
  const sorted = times.toSorted((a, b) => a - b);
  return {
    count: sorted.length,
    p50_ms: rank(sorted, 50),
    p95_ms: rank(sorted, 95),
    longest_ms: sorted.at(-1) ?? 0,
    total_ms: sum(sorted),
  };
}

/** Waits of 0 ms do not count. */
export function waitOf(times: readonly number[]): { count: number; total_ms: number; longest_ms: number } {
  const real = times.filter((ms) => ms > 0);
  return { count: real.length, total_ms: sum(real), longest_ms: Math.max(0, ...real) };
}
