import type { Policy } from '../../agents/agent/permission/policy.ts';
import type { Agent } from '../../agents/agent/store.ts';
import type { Mailbox } from '../../agents/message/mailbox.ts';
import type { Refusal } from '../../agents/supervision/provider/store.ts';
import type { Supervision } from '../../agents/supervision/record.ts';
import type { Attempt } from '../../work/attempt/store.ts';
import type { AgentAsks, Question } from '../../work/question/store.ts';
import type { AgentRows } from './snapshot.ts';

/** The leader's answers to a host about what is in the store. Plain data in and out, so that a question can travel. */
export interface LeaderAnswers {
  readonly attempts: AttemptAnswers;
  readonly turns: TurnAnswers;
  readonly requests: RequestAnswers;
  readonly mail: Mailbox;
  readonly work: WorkAnswers;
  readonly checks: CheckAnswers;
  readonly conflicts: ConflictAnswers;
}

/** Whoever may ask the leader. */
export interface Asking {
  readonly leader: LeaderAnswers;
}

export interface AttemptAnswers {
  find(attempt: number): Promise<Attempt | undefined>;
  /** The number of the last attempt that began, and those of all that have not ended. */
  numbers(): Promise<{ readonly last: number; readonly open: readonly number[] }>;
  /** The first processes of the attempts that have not ended. */
  processes(): Promise<readonly { readonly attempt: number; readonly pid: number; readonly start: string }[]>;
  /** The agents and their current work, as of now. */
  rows(): Promise<AgentRows>;
  agent(name: string): Promise<Agent | undefined>;
  /** An attempt that has not ended, as those who listen to it need it. */
  open(attempt: number): Promise<OpenAttempt | undefined>;
  /** The ref of the task that an entrant of a race works on; null for every other task. */
  racedTask(task: string): Promise<string | null>;
}

interface OpenAttempt extends Pick<Attempt, 'agent' | 'task' | 'n' | 'launch' | 'kind' | 'settings'>, Pick<Agent, 'worktree'> {
  /** Undefined: it has said nothing yet. */
  readonly record: Supervision | undefined;
}

type Whose = Pick<Attempt, 'agent' | 'task'> & { readonly attempt: number };

/** The grounds on which an agent's tool uses and ends of turns are judged. */
export interface TurnAnswers {
  policy(of: Whose): Promise<PolicyFacts>;
  facts(of: Whose): Promise<TurnGrounds>;
  /** The budget that is used up, as a sentence; null: none. */
  overspent(task: string): Promise<string | null>;
  /**
   * The answers and results that an attempt owes at the end of its turn, as far as it can still be reminded of them. A job that it was reminded of
   * often enough fails by this, so that none is forgotten; a question goes back when the attempt ends.
   */
  owed(of: Whose): Promise<readonly OwedAnswer[]>;
  /** A provider refused: the end of its limit, which holds for all its agents; undefined: it is over already. */
  refused(refusal: Refusal): Promise<number | undefined>;
}

interface PolicyFacts extends Pick<Policy, 'answers' | 'leases'> {
  /** The task's own check and paths. */
  readonly check: string | null;
  readonly own: readonly string[];
}

export interface TurnGrounds extends Pick<Attempt, 'branch' | 'base' | 'target' | 'said'> {
  /** It ends by an answer, and not by commits. */
  readonly answers: boolean;
  /** The commit that a reworked task started from. */
  readonly from: string | null;
  readonly paused: boolean;
  /** Questions of the agent's that nobody has answered. */
  readonly openAsks: number;
  /** Leases that the attempt is in line for, and its jobs for others that have not ended. */
  readonly awaited: number;
}

/** An answer or a result that others wait for from a running agent. */
export interface OwedAnswer {
  readonly kind: 'ask' | 'job';
  readonly id: number;
  readonly text: string;
}

/** Requests of agents to people. */
export interface RequestAnswers {
  /** One question with one end for one request, also when the agent makes it again. `request`: the agent's own name for it. */
  open(asks: AgentAsks, request: string): Promise<OpenRequest>;
  of(agent: string): Promise<readonly OpenRequest[]>;
}

export interface OpenRequest extends Pick<Question, 'id' | 'kind' | 'subject' | 'data' | 'expires'> {}

/** The places and beginnings of agents' work, for those who mend refs and worktrees. */
export interface WorkAnswers {
  /** Worktrees in which an agent is at work. */
  busyWorktrees(): Promise<readonly string[]>;
  /** Branches of attempts that have not ended. */
  openBranches(): Promise<readonly string[]>;
  /** The commit that an attempt began from, by its branch or pin, or by its worktree. */
  baseOf(work: { readonly ref: string; readonly path?: string }): Promise<string | undefined>;
}

export interface CheckAnswers {
  /** True when the target has this tree, or had it and it was not taken out. */
  hasLanded(target: string, tree: string): Promise<boolean>;
  /** Checks under way, by their logs, the oldest first. */
  running(): Promise<readonly RunningCheckFacts[]>;
  /** The times of a check's last passes, in ms. */
  passTimes(check: string, most: number): Promise<readonly number[]>;
  /** Names of the checks about which a question is open, because they hang. */
  hanging(): Promise<readonly string[]>;
}

interface RunningCheckFacts {
  readonly log: string;
  readonly check: { readonly id: string; readonly name: string; readonly timeoutMs: number };
}

export interface ConflictAnswers {
  /** Work that waits in the queue. */
  queued(): Promise<readonly { readonly task: string; readonly title: string; readonly sha: string; readonly target: string | null }[]>;
  /** The conflicts that agents were told of, as the last report gave them; undefined: none yet. */
  told(): Promise<string | undefined>;
}
