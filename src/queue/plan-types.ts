import type { QueuedState } from '../journal/rows/entry.ts';
import type { ConflictReport } from '../repo/merge/conflict.ts';
import type { Chain, CheckSpec, QueueNotes } from './snapshot.ts';

export interface WantedCheck {
  readonly tree: string;
  /** The entries that are checked, stacked on the head; empty: the head itself. */
  readonly chain: Chain;
  readonly check: CheckSpec;
  /** `chain`: may land; `trial`: looks for the culprit of a group; `confirm`: one entry alone; `head`: tests whether the head is red. */
  readonly purpose: 'chain' | 'trial' | 'confirm' | 'head';
}

export interface QueuePlan {
  /** Merges to compute: the last of each chain onto the rest, which is known to be clean (or is the head). */
  readonly stack: Chain[];
  /** Checks to start, best first: wanted, not running, at most as many as slots are free. */
  readonly checks: WantedCheck[];
  /** Checks that run and are no longer wanted. */
  readonly cancel: { tree: string; check: string }[];
  /** At most one: the longest green prefix. `unchecked`: the project has no checks, which deserves a loud note. */
  readonly land: { entries: Chain; tree: string; head: string; unchecked: boolean } | undefined;
  readonly handback: { entry: number; report: ConflictReport }[];
  readonly refuse: { entry: number; reason: string; forbidden?: true }[];
  /** `runs`: ids of the red runs of head + entry alone that justify it (retries + 1 at least). */
  readonly reject: { entry: number; check: string; tree: string; head: string; runs: readonly number[] }[];
  readonly contained: number[];
  readonly states: { entry: number; state: QueuedState; reason: string }[];
  /** The reason why the queue is halted. */
  readonly halted: string | undefined;
  readonly notes: QueueNotes;
}
