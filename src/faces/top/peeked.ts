import type { Line } from './line.ts';

/** The live screen of an agent, as far as it is known. */
export interface Peeked {
  readonly agent: string;
  readonly rows: readonly Line[];
  /** In the edge of its frame: how fresh it is, or why there is none. */
  readonly note: string;
}
