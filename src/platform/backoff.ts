/** The pause after so many failures in a row: `firstMs` after the first, twice as long after each more, at most `longestMs`. */
export function backoff(failures: number, firstMs: number, longestMs: number): number {
  return Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1));
}
