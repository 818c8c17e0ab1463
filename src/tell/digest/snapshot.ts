import type { FarmEvent, ListedAgent, ListedTask } from '../../api/contract.ts';

/** The facts that a digest is made from, read at one moment. */
export interface DigestSnapshot {
  /** Number of the newest event that it counts. */
  readonly seq: number;
  /** The reader knows everything up to this event; null: it knows nothing. */
  readonly since: number | null;
  readonly facts: Facts;
  readonly agents: readonly Pick<ListedAgent, 'name' | 'kind' | 'state' | 'paused' | 'task' | 'detail' | 'says'>[];
  readonly tasks: readonly Pick<ListedTask, 'id' | 'title' | 'phase' | 'state' | 'agent' | 'attempt' | 'reason'>[];
  readonly farm: string;
  readonly queue: {
    readonly depth: number;
    readonly checking: number;
    readonly setups: number;
    readonly head: string | null;
    readonly paused: boolean;
    readonly halted: string | null;
  };
  readonly cost: { readonly usd: number; readonly tokens: number };
  /** Events after `since`, the oldest first; the newest of them, when there are very many. */
  readonly events: readonly Pick<FarmEvent, 'seq' | 'at' | 'kind' | 'agent' | 'task' | 'text'>[];
  /** The most urgent first. */
  readonly decisions: readonly Decision[];
  /** Questions that the reader has asked agents, and jobs that it gave them, without an end yet; the oldest first. */
  readonly awaited: readonly Awaiting[];
  /** Questions of agents that the reader may not read: a person answers them. */
  readonly hidden: number;
}

/** Something that the reader waits for from another agent. */
export interface Awaiting {
  /** `m12` or `j12`. */
  readonly id: string;
  readonly from: string;
  readonly state: string;
  readonly text: string;
}

/** Facts that rarely change. */
export interface Facts {
  readonly repository: string;
  readonly target: string;
  readonly checks: readonly { readonly name: string; readonly run: string }[];
  readonly kinds: readonly { readonly name: string; readonly driver: string; readonly role: string }[];
  readonly defaultKind: string;
  readonly phases: readonly string[];
  readonly attempts: number;
  readonly land: string;
  readonly isolation: string;
  readonly resources: Readonly<Record<string, number>>;
}

/** Something that waits for a decision. */
export interface Decision {
  /** As in `furrow next ID`; with a letter in front of it when it is no question to a person. */
  readonly id: string;
  readonly kind: string;
  readonly subject: string;
  readonly reason: string;
  /** The commands that settle it, the usual one first. */
  readonly commands: readonly string[];
}
