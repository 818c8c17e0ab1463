import type { Attempt } from '../../work/attempt/store.ts';

/** The leader's answers to a host about what is in the store. Plain data in and out, so that a question can travel. */
export interface LeaderDesk {
  readonly attempts: AttemptDesk;
  readonly work: WorkDesk;
  readonly checks: CheckDesk;
  readonly conflicts: ConflictDesk;
}

/** Whoever may ask the leader. */
export interface Asking {
  readonly leader: LeaderDesk;
}

export interface AttemptDesk {
  find(attempt: number): Promise<Attempt | undefined>;
  /** The first processes of the attempts that have not ended. */
  processes(): Promise<readonly { readonly attempt: number; readonly pid: number; readonly start: string }[]>;
  worktreeOf(agent: string): Promise<string>;
}

/** The places and beginnings of agents' work, for those who mend refs and worktrees. */
export interface WorkDesk {
  /** Worktrees in which an agent is at work. */
  busyWorktrees(): Promise<readonly string[]>;
  /** Branches of attempts that have not ended. */
  openBranches(): Promise<readonly string[]>;
  /** The commit that an attempt began from, by its branch or pin, or by its worktree. */
  baseOf(work: { readonly ref: string; readonly path?: string }): Promise<string | undefined>;
}

export interface CheckDesk {
  /** True when the target has this tree, or had it and it was not taken out. */
  hasLanded(target: string, tree: string): Promise<boolean>;
  /** Checks under way, by their logs, the oldest first. */
  running(): Promise<readonly RunningCheckFacts[]>;
  /** The times of a check's last passes, in ms. */
  passTimes(check: string, most: number): Promise<readonly number[]>;
  /** Names of the checks about which a question is open, because they hang. */
  hanging(): Promise<readonly string[]>;
}

export interface RunningCheckFacts {
  readonly log: string;
  readonly check: { readonly id: string; readonly name: string; readonly timeoutMs: number };
}

export interface ConflictDesk {
  /** Work that waits in the queue. */
  queued(): Promise<readonly { readonly task: string; readonly sha: string; readonly target: string | null }[]>;
  /** The conflicts that agents were told of, as the last report gave them; undefined: none yet. */
  told(): Promise<string | undefined>;
}
