import type { Agent } from '../../../agents/agent/store.ts';
import type { Attempt } from '../../../work/attempt/store.ts';
import type { Task } from '../../../work/task/store.ts';

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
  /** The machine that it runs on, if that is one that joined the farm. */
  readonly host?: string;
}

export interface Started {
  readonly pid: number;
  /** Empty when it had already ended before it could be looked at. */
  readonly start: string;
  readonly rescued: string | null;
  /** Ports and database of its agent on this machine. Missing in a result of an earlier version. */
  readonly place?: { readonly port: number; readonly database: string };
}

export interface StartFacts {
  readonly row: Attempt;
  readonly agent: Agent;
  /** Ref of the task that is raced for, of an entrant. */
  readonly raced: string | null;
  /** The commit of earlier work to go on from. */
  readonly from: string | null;
  /** `furrow work --fresh` asked for new worktrees, and this is the agent's first attempt since. */
  readonly fresh: boolean;
  readonly assignment: Assignment;
}

/** All that the store knows of what an agent is told to do. */
export interface Assignment {
  /** The task that its file is read of, with the rework of this very attempt. */
  readonly task: Task;
  /** Of an errand of the farm's own: it has no file. */
  readonly brief: string | null;
  readonly others: readonly { readonly agent: string; readonly title: string }[];
}
