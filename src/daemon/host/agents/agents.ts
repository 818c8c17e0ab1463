import type { SeenProcess } from '../../../agents/supervision/process.ts';
import type { HookHandler } from '../../../api/hooks.ts';
import type { HostRows, Observation } from '../../farm/host-side.ts';
import type { AgentRows } from '../../farm/snapshot.ts';
import type { Host } from '../host.ts';
import { agentEvents } from './agent-events.ts';
import { Connections } from './connections.ts';
import { intervene } from './intervene.ts';
import { AgentMessages } from './messages.ts';
import { Requests } from './requests.ts';
import { responder } from './respond.ts';
import { type RunningAttempts, runningAttempts } from './running.ts';

/** The part of an observation that comes of following agents. */
type Followed = Pick<Observation, 'goesOn' | 'relaunches'>;

/** Everything for agents that speak for themselves. */
export interface Agents {
  readonly running: RunningAttempts;
  readonly hook: HookHandler;
  readonly requests: Requests;
  /**
   * Listens to and supervises every running agent. Answers which attempts go on although their processes have ended. A failure with one
   * agent is reported, and does not stop the others.
   */
  follow(rows: HostRows, looked: readonly SeenProcess[], failed: (error: unknown) => void): Promise<Followed>;
  /** Carries the messages that wait to their agents. */
  deliver(rows?: AgentRows): Promise<void>;
  /** Reads the remaining transcript after the process has exited, what it used above all. */
  drain(attempt: number): Promise<void>;
  close(): Promise<void>;
}

export function superviseAgents(farm: Host): Agents {
  const running = runningAttempts(farm);
  const requests = new Requests(farm);
  const messages = new AgentMessages(farm, running);
  const events = agentEvents(farm, running, responder({ farm, running, messages, requests }));
  const connections = new Connections(farm, running, events, (attempt) => messages.conclude(attempt));
  return {
    running,
    hook: events.hook,
    requests,
    async follow(rows, looked, failed) {
      running.keep(rows.attempts);
      connections.follow(rows);
      return intervene({ farm, running, messages, failed }, rows, looked);
    },
    deliver: (rows) => messages.follow(rows),
    drain: (attempt) => connections.drain(attempt),
    async close() {
      messages.close();
      await connections.close();
    },
  };
}
