import type { Speaker } from './contract.ts';

/** The calling process, its parent, and so on up; empty when the process cannot be proven. */
type Line = readonly { readonly pid: number; readonly start: string }[];

/** The attempt that an agent calls for. Its `speaker` is what the daemon knows, whatever the call says. */
export interface AgentCaller {
  readonly kind: 'agent';
  /** The attempt's id in the store. */
  readonly attempt: number;
  readonly agent: string;
  /** By configuration it may also arrange the work of others. */
  readonly orchestrator: boolean;
  readonly speaker: Speaker;
  /** The attempt is over: only its last words are heard, and they change nothing. */
  readonly ended: boolean;
  readonly line?: Line;
}

/** A person, or a program of theirs. */
export interface PersonCaller {
  readonly kind: 'person';
  /** A program that arranges work for them (`furrow mcp`): it has the rights of an orchestrator and no more. */
  readonly role?: 'orchestrator';
  /** Calls from the page; such as change something are in the journal. */
  readonly face?: 'page';
  /** May make only calls that change nothing. */
  readonly readOnly?: true;
  readonly line?: Line;
}

/** The one that makes a call, found out by the daemon and not by what the call says. */
export type Caller = PersonCaller | AgentCaller;
