import type { EndWhy } from '../../../agents/supervision/ends.ts';
import type { Unlanded } from '../../../repo/merge/unlanded.ts';
import type { Judgement } from '../../../work/attempt/evidence.ts';

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
