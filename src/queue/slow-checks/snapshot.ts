import type { Abouts, CheckRun, CheckSpec } from '../snapshot.ts';

/** A commit to check out, and its tree, by which answers are kept. */
export interface SlowCheckState {
  readonly commit: string;
  readonly tree: string;
}

/** One task's change to the target, or one of the user's own commits: the state after it. */
export interface SlowCheckStep extends SlowCheckState {
  /** The commit that landed, which names the step for ever. `commit` is another one where a later revert is left out. */
  readonly landed: string;
  /** `phase/id`. Null: not the work of one task, so it cannot be taken back. */
  readonly task: string | null;
  readonly entry: number | null;
  /** For people: `7`, or `your commit 1a2b3c4d`. */
  readonly what: string;
  /** The target was in exactly this state; not true between the tasks of one landing. */
  readonly whole: boolean;
}

/** All facts that decide about checks too slow for the queue. */
export interface SlowCheckSnapshot {
  /** The state before all steps: the adopted target, or the last that is known to be good. */
  readonly base: SlowCheckState;
  /** Oldest first. */
  readonly steps: readonly SlowCheckStep[];
  /** Oldest first, of these checks. To go on after a halt, leave out runs that are no pass and older than a person's word. */
  readonly runs: readonly CheckRun[];
  readonly checks: readonly CheckSpec[];
  /** For the checks that look only at some paths, and the trees of all states. */
  readonly abouts?: Abouts;
  /** Reruns that a red state gets before it counts. */
  readonly retries: number;
  /** Slow checks under way. They have one slot for themselves. */
  readonly running: readonly { readonly tree: string; readonly check: string }[];
  /** By `landed` of the step. `failed`: it could not be built, or its entry ended without landing. */
  readonly reverts: readonly { readonly step: string; readonly state: 'open' | 'landed' | 'failed' }[];
}

/** The reason why a step is taken back: by these runs its state is red and the one before it green. */
export interface Evidence {
  readonly check: CheckSpec;
  readonly good: SlowCheckState;
  readonly bad: SlowCheckStep;
  /** Ids of runs. */
  readonly reds: readonly number[];
  readonly greens: readonly number[];
}

export interface SlowCheckPlan {
  /** A state newer than the base that every check calls good: it becomes the base. */
  readonly good: SlowCheckStep | undefined;
  /** The one run to start, if none is under way. */
  readonly check: (SlowCheckState & { readonly check: CheckSpec; readonly why: string }) | undefined;
  readonly revert: { readonly step: SlowCheckStep; readonly evidence: Evidence } | undefined;
  /** A person is needed: something is red without a culprit, or could not be taken back. The checks go on. */
  readonly halted: string | undefined;
  /** Id of the run behind it; its output tells why. */
  readonly haltedBy: number | undefined;
}
