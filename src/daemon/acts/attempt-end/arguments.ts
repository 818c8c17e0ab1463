import type { Stored as Lease } from '../../../agents/lease/store.ts';
import type { EndWhy } from '../../../agents/supervision/ends.ts';
import type { TurnEnd } from '../../../agents/supervision/record.ts';
import type { Unlanded } from '../../../repo/merge/unlanded.ts';
import type { Judgement } from '../../../work/attempt/evidence.ts';
import type { Attempt } from '../../../work/attempt/store.ts';
import type { Task } from '../../../work/task/store.ts';

export interface EndArgs {
  readonly attempt: number;
  readonly why: EndWhy;
  readonly graceMs: number;
}

export interface Ended extends Judgement {
  /** Tip of what is submitted, or of what is kept. */
  readonly sha: string | null;
  /** Where uncommitted work of an attempt that was not submitted is kept. */
  readonly kept: string | null;
  /** Work of its task that has not landed, although nothing more is to be done: a person decides what becomes of it. */
  readonly unlanded?: readonly Unlanded[];
  /** Leases that go into the queue with what is submitted. */
  readonly leases?: readonly number[];
  /** Commits that the next attempt goes on from, although they were not submitted. */
  readonly from?: string;
}

export interface EndFacts {
  readonly row: Attempt;
  readonly worktree: string;
  readonly task: Task;
  /** Open leases of the attempt. */
  readonly leases: readonly Lease[];
  /** The end of its last turn that was stored. More may be in a transcript that nobody has read yet. */
  readonly turn: TurnEnd | null;
  readonly earlier: EarlierWork;
}

/** The store's part of what is known of a task's work that has not landed. */
export interface EarlierWork {
  /** The last attempt that is settled: it landed, or nothing had to be changed. */
  readonly since: number;
  /** The commit that its rework goes on from. */
  readonly from: string | null;
  /** Commits that a person dropped. */
  readonly dropped: readonly string[];
}
