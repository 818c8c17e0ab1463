import type { AgentEnded, AgentStarted } from '../../hosts/link/agent-frames.ts';
import type { ActOrder } from '../../hosts/link/frames.ts';
import type { Brought } from './bring-home.ts';

/** The start or the end of an agent that a host was asked for. */
export interface RemoteAct {
  readonly order: ActOrder;
  started(result: AgentStarted): void;
  ended(result: AgentEnded): void;
  fail(error: Error): void;
  /** The commits that came home with its end. */
  brought: Brought | undefined;
}
