import type { ActKey } from '../acts/keys.ts';
import type { ActKind, ArgsOf } from '../acts/table.ts';

/**
 * Runs acts in the background, one at a time for each key. The loop decides again at every wake; an act that still runs is not started
 * again, and one that has just failed rests: 1, 2, 4 … 60 s.
 */
export interface Performer {
  /** True when it runs, or rests after a failure. */
  busy(key: ActKey): boolean;
  /** True when it runs. */
  flying(key: ActKey): boolean;
  /** True when it has failed repeatedly: nothing should wait for it that can do without. */
  failing(key: ActKey, times?: number): boolean;
  start<K extends ActKind>(kind: K, args: ArgsOf<K>): Promise<void>;
  /** Continues what a killed daemon had begun; acts of the first kinds have ended when it resolves. */
  recover(first: readonly ActKind[]): Promise<void>;
  /** Does the same for acts that had to wait until the person trusted the repository. */
  recoverHeld(): Promise<void>;
  /** The keys of running acts that would not start in a stopped farm. */
  underWay(): readonly string[];
  /** Called after a whole tick that began at this `awake` time: forgets what could have been tried again and was not. */
  review(since: number): Promise<void>;
  /** Resolves when no act runs. */
  quiet(): Promise<void>;
}
