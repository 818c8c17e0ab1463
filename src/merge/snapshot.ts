import type { EntryState } from '../journal/schema.ts';
import type { ConflictReport } from './conflict.ts';

export interface QueueEntry {
  readonly id: number;
  /** `phase/id`. */
  readonly task: string;
  readonly attempt: number;
  /** The commit pinned at submit: what is checked and landed, wherever the branch has gone since. */
  readonly sha: string;
  /** Tasks that must be landed first. */
  readonly after: readonly string[];
  readonly state: EntryState;
  readonly at: number;
  /** Checks of this task alone, run after those of the project. */
  readonly own: readonly CheckSpec[];
}

export type StackResult =
  | { readonly kind: 'clean'; readonly tree: string }
  | { readonly kind: 'contained' }
  | { readonly kind: 'conflict'; readonly report: ConflictReport }
  | { readonly kind: 'error'; readonly reason: string };

/** What merging a submitted commit into a head gives. True for ever: both are commits. */
export interface Stacked {
  readonly head: string;
  readonly sha: string;
  readonly result: StackResult;
}

/** A check as configured. `id` hashes all that could change its answer, so an edited check has no old verdicts. */
export interface CheckSpec {
  readonly id: string;
  readonly name: string;
  readonly run: string;
  readonly timeoutMs: number;
  readonly env: Readonly<Record<string, string>>;
}

export interface CheckRun {
  readonly tree: string;
  readonly check: string;
  readonly outcome: 'pass' | 'fail' | 'error';
}

/** All that the queue decides from. */
export interface QueueSnapshot {
  readonly head: string;
  readonly headTree: string;
  readonly entries: readonly QueueEntry[];
  readonly landedTasks: ReadonlySet<string>;
  readonly stacked: readonly Stacked[];
  /** Oldest first. To go on after a halt, leave out the runs that are not passes and older than the human's word. */
  readonly runs: readonly CheckRun[];
  /** Cheap ones first. */
  readonly checks: readonly CheckSpec[];
  readonly running: readonly { readonly tree: string; readonly check: string }[];
  /** Reruns that a red check gets before it counts. */
  readonly retries: number;
  readonly slots: number;
  readonly paused: boolean;
}
