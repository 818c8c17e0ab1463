import type { Abouts, CheckRun, CheckSpec } from '../snapshot.ts';

/** A commit to check out, and its tree: what answers are kept by. */
export interface SlowCheckState {
  readonly commit: string;
  readonly tree: string;
}

/** One task's change to the target, or one of the user's own commits: the state after it. */
export interface SlowCheckStep extends SlowCheckState {
  /** The commit that landed: the step's name for ever. `commit` is another one where a revert that came later is left out. */
  readonly landed: string;
  /** `phase/id`. Null: not the work of one task, so there is nothing that could be taken back. */
  readonly task: string | null;
  readonly entry: number | null;
  /** For people: `7`, or `your commit 1a2b3c4d`. */
  readonly what: string;
  /** The target was in exactly this state. Not so between the tasks of one landing. */
  readonly whole: boolean;
}

/** All that is decided from about checks too slow for the queue. */
export interface SlowCheckSnapshot {
  /** The state before all steps: the adopted target, or the last that is known to be good. */
  readonly base: SlowCheckState;
  /** Oldest first. */
  readonly steps: readonly SlowCheckStep[];
  /** Oldest first, of these checks. To go on after a halt, leave out what is older than a person's word and no pass. */
  readonly runs: readonly CheckRun[];
  readonly checks: readonly CheckSpec[];
  /** Of the checks that look only at some paths, for the trees of all states. */
  readonly abouts?: Abouts;
  /** Reruns that a red state gets before it counts. */
  readonly retries: number;
  /** Slow checks under way. They have one slot for themselves. */
  readonly running: readonly { readonly tree: string; readonly check: string }[];
  /** By `landed` of the step. `failed`: it could not be built, or its entry ended otherwise than by landing. */
  readonly reverts: readonly { readonly step: string; readonly state: 'open' | 'landed' | 'failed' }[];
}

/** Why a step is taken back: its state red, the one before it green, by these runs. */
export interface Evidence {
  readonly check: CheckSpec;
  readonly good: SlowCheckState;
  readonly bad: SlowCheckStep;
  /** Ids of runs. */
  readonly reds: readonly number[];
  readonly greens: readonly number[];
}

export interface SlowCheckPlan {
  /** Newer than the base, and every check says that it is good: the base from now on. */
  readonly good: SlowCheckStep | undefined;
  /** The one run to start, if none is under way. */
  readonly check: (SlowCheckState & { readonly check: CheckSpec; readonly why: string }) | undefined;
  readonly revert: { readonly step: SlowCheckStep; readonly evidence: Evidence } | undefined;
  /** Something is red that nobody can be blamed for, or that could not be taken back. Needs a person; looking goes on. */
  readonly halted: string | undefined;
  /** Id of the run that says so: what it printed tells why. */
  readonly haltedBy: number | undefined;
}
