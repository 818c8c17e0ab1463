import type { ActKey } from '../acts/keys.ts';
import type { ActKind, ArgsOf } from '../acts/table.ts';

/**
 * Carries acts out in the background, one of a key at a time. The loop decides again at every wake; what is still
 * being done is not begun a second time, and what has just failed is let rest: 1, 2, 4 … 60 s.
 */
export interface Performer {
  /** It is being done, or rests after a failure. */
  busy(key: ActKey): boolean;
  /** It is being done. */
  flying(key: ActKey): boolean;
  /** It has failed again and again: nothing that can do without it should wait for it. */
  failing(key: ActKey, times?: number): boolean;
  start<K extends ActKind>(kind: K, args: ArgsOf<K>): Promise<void>;
  /** Goes on with what a killed daemon had begun; those of the first kinds are over when it resolves. */
  recover(first: readonly ActKind[]): Promise<void>;
  /** The same for what had to wait until the person trusted the repository. */
  recoverHeld(): Promise<void>;
  /** The keys of what is being done and would not begin in a stopped farm. */
  underWay(): readonly string[];
  /** After a whole tick that began at this `awake` time: what could have been tried again and was not is forgotten. */
  review(since: number): Promise<void>;
  /** Resolves when nothing is being done. */
  quiet(): Promise<void>;
}
