import { emptySlowCheckMemory, type SlowCheckMemory } from '../../queue/slow-checks/store.ts';
import type { ActKey } from '../acts/keys.ts';

/** The memory of the slow checks between ticks. */
export interface SlowCheckWatch {
  readonly memory: SlowCheckMemory;
  /** Slow checks under way, by `runningKey`. */
  readonly running: Map<string, { tree: string; check: string; abort: AbortController }>;
  /** The slow check whose verdict is still missing for the head, and the key of its run. */
  wanted: { readonly name: string; readonly tree: string; readonly key: ActKey } | undefined;
}

export const slowCheckWatch = (): SlowCheckWatch => ({ memory: emptySlowCheckMemory(), running: new Map(), wanted: undefined });
