import type { EndWhy } from '../../../agents/supervision/ends.ts';
import type { Unlanded } from '../../../repo/merge/unlanded.ts';
import type { Judgement } from '../../../work/attempt/evidence.ts';

export interface StartArgs {
  readonly task: string;
  readonly agent: string;
  readonly n: number;
  readonly kind: string;
  /** Commit the work is based on: the verified head at the time of the decision. */
  readonly base: string;
  readonly branch: string;
  /** The branch its work is for. Missing in an intent of an earlier version. */
  readonly target?: string;
}

export interface Started {
  readonly pid: number;
  /** Empty when it had already ended before it could be looked at. */
  readonly start: string;
  readonly rescued: string | null;
}

export interface RelaunchArgs {
  readonly attempt: number;
  /** The number of the start that this is. */
  readonly launch: number;
  /** `resume`: the same conversation; `fresh`: a new one that is handed what the last one knew. */
  readonly how: 'resume' | 'fresh';
  readonly why: string;
}

export interface Relaunched {
  readonly pid: number;
  readonly start: string;
  /** There was nothing to go on with. */
  readonly forgotten?: true;
}

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
