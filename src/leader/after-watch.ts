import { type AfterMemory, emptyAfter } from '../after/store.ts';
import type { ActKey } from '../farm/acts/keys.ts';

/** The memory of the slow checks between ticks. */
export interface AfterWatch {
  readonly memory: AfterMemory;
  /** Slow checks under way, by `runningKey`. */
  readonly running: Map<string, { tree: string; check: string; abort: AbortController }>;
  /** The slow check whose verdict is still missing for the head, and the key of its run. */
  wanted: { readonly name: string; readonly tree: string; readonly key: ActKey } | undefined;
}

export const afterWatch = (): AfterWatch => ({ memory: emptyAfter(), running: new Map(), wanted: undefined });
