import { z } from 'zod';
import type { Caller } from '../../api/caller.ts';
import type { CallName, In, Out } from '../../api/contract.ts';

/** The one that uses a tool, as the daemon knows it, and where it works. */
export interface User {
  readonly caller: Caller;
  /** The folder of an agent's work; for a person the main checkout. */
  readonly worktree: string;
  readonly repo: string;
}

/** The settings that turn tools on. */
export interface ToolSettings {
  /** Kinds of agents that `spawn_peer` may start. */
  readonly spawn: readonly string[];
}

/** An answer to the model: a few words, and the same as data. */
export interface Answer {
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

/** Makes a call of the contract as the one that uses the tool. */
export type MakeCall<C extends CallName> = <N extends C>(name: N, args: In<N>) => Promise<Out<N>>;

/** One tool, for agents in the farm and for clients outside of it. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  readonly input: z.ZodObject;
  /** Every call that it makes: whoever may make all of them is shown the tool. */
  readonly calls: readonly CallName[];
  readonly on: (settings: ToolSettings) => boolean;
  readonly agentsOnly: boolean;
  answer(args: unknown, call: MakeCall<CallName>, user: User): Promise<Answer>;
}

interface Spec<S extends z.ZodRawShape, C extends CallName> {
  readonly name: string;
  readonly description: string;
  readonly takes: S;
  readonly calls: readonly C[];
  readonly on?: (settings: ToolSettings) => boolean;
  /** Only agents of the farm can use it. */
  readonly agentsOnly?: true;
  answer(args: z.output<z.ZodObject<S>>, call: MakeCall<C>, user: User): Promise<Answer>;
}

/** Checks that a tool takes what it says and makes only the calls that it names. */
export function tool<S extends z.ZodRawShape, C extends CallName>(spec: Spec<S, C>): Tool {
  const { name, description, takes, calls, on = () => true, agentsOnly = false } = spec;
  const answer = (args: unknown, call: MakeCall<CallName>, user: User) =>
    spec.answer(args as z.output<z.ZodObject<S>>, call as MakeCall<C>, user);
  return { name, description, input: z.strictObject(takes), calls, on, agentsOnly, answer };
}
