import type { Agent } from '../../agents/agent/store.ts';
import type { HookHandler, HookServer } from '../../api/hooks.ts';
import type { KillMethod } from '../../platform/process/jail.ts';
import type { LimitWays } from '../../platform/process/limits.ts';
import type { Setups } from '../../repo/setup/setups.ts';
import type { Ahead } from '../../repo/worktree/fill-ahead.ts';
import type { Attempt } from '../../work/attempt/store.ts';
import type { FarmOutsideStore } from '../farm/farm.ts';
import type { Asking, AttemptAnswers, CheckAnswers } from '../farm/leader-answers.ts';
import type { Reporting } from '../farm/report.ts';
import type { TrustKeeper } from '../farm/trust/trust.ts';
import type { Starts } from './agents/starts.ts';
import type { Doors } from './doors/doors.ts';
import type { Screens } from './screens/screens.ts';
import type { Terminals } from './terminals.ts';

/** The repositories of their own that agents have with `isolation: strict`. */
export interface OwnGits {
  /** Takes over what an agent has done so far, if it has a repository of its own and something happened in it. */
  look(agent: string): Promise<void>;
  /** After its end: takes over everything, and the repository goes. The answer is why that was not possible: then it is in the trash. */
  end(row: Attempt): Promise<string | undefined>;
}

/**
 * A farm as a host has it: with this machine, and without the store. What it has to know comes with an act or a look, or it asks the leader; what it
 * saw and did it reports. The leader is given a `Farm`, so it cannot touch a terminal or a process.
 */
export interface Host extends FarmOutsideStore, Reporting, Asking {
  readonly terminals: Terminals;
  /** Live screens of the agents' panes. */
  readonly screens: Screens;
  readonly killMethod: KillMethod;
  /** Which limits of the configuration hold on this machine. */
  readonly limitWays: LimitWays;
  /** Where agents' hooks come in. */
  readonly hooks: HookServer;
  /** Where agents call. */
  readonly doors: Doors;
  /** Repositories of their own that agents have. */
  readonly ownGits: OwnGits;
  /** Makes what worktrees and slots need beside their commits. */
  readonly setups: Setups;
  /** Worktrees that are filled before their agents have a task. */
  readonly ahead: Ahead;
  /** Starts of agents that must not happen at the same time. */
  readonly starts: Starts;
  /** The commands of checks that run, by their logs: when each was started, in `awake` time. A daemon that ends ends them too. */
  readonly commandsRunning: Map<string, number>;
  /** Checks whose slot is being prepared (files, set-up), by their logs. */
  readonly checksInSetup: Set<string>;
  /** Set when a git of ours failed for want of an object: the refs are looked through. */
  readonly doubts: { objects: boolean };
  /** From now on agents' hooks are answered by this; those that came earlier have waited for it. */
  hear(hook: HookHandler): void;
  /** Something changed in the terminals; `lost`: the server died, and what ran in it may live on without one. */
  look(lost: boolean): void;
}

/** The part of a host that runs checks. A machine that joined the farm is such a host too. */
export interface CheckHost
  extends Pick<
    Host,
    | 'id'
    | 'repo'
    | 'git'
    | 'places'
    | 'config'
    | 'target'
    | 'isolation'
    | 'killMethod'
    | 'limitWays'
    | 'setups'
    | 'clock'
    | 'log'
    | 'report'
    | 'wake'
    | 'commandsRunning'
    | 'checksInSetup'
  > {
  readonly trust: Pick<TrustKeeper, 'config'>;
  readonly leader: { readonly checks: Pick<CheckAnswers, 'hasLanded'> };
  readonly doors: Pick<Doors, 'forCommands'>;
}

/** The part of a host that starts agents and ends them, on a machine that joined the farm as well. */
export interface AgentHost extends Omit<CheckHost, 'trust' | 'leader' | 'doors'>, Pick<Host, 'ownGits' | 'starts' | 'limitWays'> {
  readonly terminals: Pick<Host['terminals'], 'start' | 'panes'>;
  readonly hooks: Pick<HookServer, 'port' | 'tokenOf' | 'urlOf' | 'mcpOf'>;
  readonly ahead: Pick<Ahead, 'take'>;
  readonly trust: Pick<TrustKeeper, 'config' | 'consents'>;
  readonly leader: {
    readonly checks: Pick<CheckAnswers, 'hasLanded'>;
    readonly attempts: Pick<AttemptAnswers, 'find'> & { agent(name: string): Promise<Pick<Agent, 'worktree'> | undefined> };
  };
  readonly doors: Pick<Doors, 'forCommands' | 'open' | 'close'>;
}
