import type { SeenProcess } from '../../agents/supervision/process.ts';
import { FurrowError } from '../../platform/error.ts';
import type { EndArgs, Ended, EndFacts } from '../acts/attempt-end/arguments.ts';
import type { StartArgs, Started, StartFacts } from '../acts/attempt-start/arguments.ts';
import type { CheckArgs, Checked } from '../acts/check-run/arguments.ts';
import type { AgentRows } from './snapshot.ts';

/** A machine that joined the farm and takes checks now. */
export interface ReadyHost {
  readonly name: string;
  readonly labels: readonly string[];
  /** The most checks that it takes at a time. */
  readonly checks: number;
  /** Its platform and the versions of what checks use, if they are not those of the farm's own machine. */
  readonly class: string | undefined;
}

/** An agent's start on another machine. */
export interface FarStart {
  readonly host: string;
  readonly args: StartArgs;
  readonly facts: StartFacts;
  readonly prompt: string;
}

/** The end of an attempt on another machine. */
export interface FarEnd {
  readonly host: string;
  readonly args: EndArgs;
  readonly facts: EndFacts;
}

/** The agents on machines that joined the farm. */
export interface JoinedAgents {
  /** Machines that take agents now, and the most that each has at a time. */
  ready(): readonly { readonly name: string; readonly agents: number }[];
  /** Resolves when its process runs there; however often it is asked for, it starts once. */
  start(start: FarStart, cancelled: AbortSignal): Promise<Started>;
  /** Ends it there, and brings its commits home. Of a machine that is lost the answer is that nothing is known of it any more. */
  end(end: FarEnd): Promise<Ended>;
  /** The processes of these attempts, as their machines told last. */
  look(attempts: AgentRows['attempts']): readonly SeenProcess[];
}

/** The machines that joined the farm, as the queue and the dispatch of work use them. */
export interface JoinedHosts {
  ready(): readonly ReadyHost[];
  /** Runs a check on `args.host`. Rejects with CUT_SHORT when that gave no answer: then it is planned again, here or elsewhere. */
  check(args: CheckArgs, cancelled: AbortSignal): Promise<Checked>;
  readonly agents: JoinedAgents;
}

const notNow = () => new FurrowError('GOES_ON', 'the daemon ends; the next one asks that machine');

/** One machine alone. */
export const NO_HOSTS: JoinedHosts = {
  ready: () => [],
  check: async () => {
    throw new Error('no machine has joined');
  },
  agents: {
    ready: () => [],
    start: () => Promise.reject(notNow()),
    end: () => Promise.reject(notNow()),
    look: () => [],
  },
};
