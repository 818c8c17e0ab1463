import type { Stored } from '../../agents/lease/store.ts';
import type { SeenProcess } from '../../agents/supervision/process.ts';
import type { Question } from '../../work/question/store.ts';
import type { RelaunchArgs } from '../acts/attempt-relaunch/arguments.ts';
import type { ConflictRows } from './conflict-rows.ts';
import type { AgentRows } from './snapshot.ts';

/** The facts that the leader hands to a host at each look. Plain data. */
export interface HostRows extends AgentRows {
  /** Leases that are held or waited for. */
  readonly leases: readonly Stored[];
  /** Branches to watch: the target of the queue, and those with landings that are still to be published or pushed. */
  readonly targets: readonly string[];
  /** Open questions to people. */
  readonly questions: readonly Pick<Question, 'kind' | 'agent'>[];
  /** The limits of providers, or of accounts, that hold now, by name. */
  readonly limited: readonly string[];
}

/** The result of a host's look: all it saw, and all it asks the leader to do. Plain data, because a host could be another machine. */
export interface Observation {
  /** Live attempts, as their processes and exit files show them. */
  readonly attempts: readonly SeenProcess[];
  /** Leases whose process has ended with all that it started. */
  readonly goneHolders: readonly number[];
  /** Attempts that are not to be ended although their processes were. */
  readonly goesOn: readonly number[];
  /** Processes to be started again in their attempts. */
  readonly relaunches: readonly RelaunchArgs[];
  /** Failures at single agents: the others were looked at all the same. */
  readonly troubles: readonly Trouble[];
}

/** A failure on a host. An error is none of these: its class does not travel. */
export interface Trouble {
  readonly message: string;
  readonly code: string | null;
  readonly stack: string | null;
}

export const troubleOf = ({ message, code, stack }: Error & { code?: unknown }): Trouble => ({
  message,
  code: typeof code === 'string' ? code : null,
  stack: stack ?? null,
});

/** The failure as the leader throws it. */
export const errorOf = ({ message, code, stack }: Trouble): Error =>
  Object.assign(new Error(message), code !== null && { code }, stack !== null && { stack });

/** Everything that the leader's tick asks of a host. */
export interface HostSide {
  /** Looks at processes and agents, and does what is due for them there. */
  look(rows: HostRows): Promise<Observation>;
  /** Each of these agents has a window, also before its first task; of the others this is forgotten. */
  keepWindows(agents: readonly string[]): void;
  /** Fills the worktrees of agents that are about to start, at a commit and in the background. */
  fillAhead(worktrees: readonly string[], commit: string): void;
  /** Its work has ended: its window is closed, and its ports are free for others. */
  sendHome(agent: string): Promise<void>;
  /** Looks for conflicts where something happened, in the background. */
  followConflicts(rows: ConflictRows): void;
  /** Keeps a question open about every check that hangs. */
  followChecks(): Promise<void>;
}

/** A process of the farm that its store did not know, by what it was doing. */
export interface Stray {
  readonly agent: string;
  readonly task: string;
  readonly attempt: number;
}
