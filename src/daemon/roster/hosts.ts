import type { AgentCall, CallAnswer } from '../../hosts/link/frames.ts';
import type { HostState } from '../../hosts/state.ts';
import type { JoinedHosts } from '../farm/joined-hosts.ts';
import type { RosterFarm } from './farm.ts';

export interface InviteOrder {
  /** The address to listen at; the one of before, or loopback. */
  readonly listen?: string | undefined;
  readonly port?: number | undefined;
  /** The name by which hosts reach this machine. */
  readonly as?: string | undefined;
  readonly forMs: number;
}

export interface ShownHost {
  readonly name: string;
  readonly state: HostState;
  readonly labels: readonly string[];
  readonly agents: number;
  readonly checks: number;
  /** Of its furrow. */
  readonly version: string;
  readonly class: string | null;
  /** Checks that it runs now. */
  readonly checking: number;
  /** Agents that it has now. */
  readonly working: number;
  /** When it was last heard of; null: not in the time of this daemon, or it is this machine. */
  readonly heard: number | null;
}

/** The machines that joined, as calls use them. On one machine alone nothing of it is loaded, and nothing listens. */
export interface Hosts {
  /** This machine's name among hosts. */
  readonly here: string;
  /** Somebody is connected, or may come any moment. */
  isBusy(): boolean;
  invite(order: InviteOrder): Promise<{ url: string; until: number; address: string; port: number }>;
  joined(): Promise<readonly ShownHost[]>;
  drain(name: string, on: boolean): Promise<HostState>;
  remove(name: string): Promise<void>;
  /** Listens again, if somebody was ever invited. */
  reopen(): Promise<void>;
  close(): Promise<void>;
}

/** A call that an agent made on its machine, by the name of that. */
export type AnswerCall = (host: string, call: AgentCall) => Promise<Pick<CallAnswer, 'result' | 'error'>>;

export interface HostsOrder {
  readonly farm: RosterFarm;
  /** The verified head, and the branch that it is for. */
  readonly head: () => { readonly head: string; readonly target: string };
  /** Makes a call for an agent on a machine that joined, and answers its reply. */
  readonly answer: AnswerCall;
  /** Takes the machines that can be given something; none of them is there any more: `NO_HOSTS`. */
  readonly use: (hosts: JoinedHosts) => void;
}

/** The same once it is loaded. */
export interface OpenRoster extends Omit<Hosts, 'here' | 'reopen'> {
  /** Listens where it did before; without a door of before it does not. */
  listen(): Promise<void>;
}
