import { createHash } from 'node:crypto';

/** The same words count as the same within this time. */
export const SPREAD_MS = 24 * 3_600_000;

/** A hash of a text, by which the same words are found. Spaces and the case of letters make no other words. */
export const wordsOf = (text: string): string =>
  createHash('sha256').update(text.trim().replace(/\s+/g, ' ').toLowerCase()).digest('hex').slice(0, 16);

/** True when words that some have got already would spread to more than `most` with these receivers. */
export const spreads = (got: readonly string[], receivers: readonly string[], most: number): boolean =>
  new Set([...got, ...receivers]).size > most;
