import type { TestFarm } from '../support/farm.ts';
import type { TestRepo } from '../support/repo.ts';
import type { OpenDoor } from './door.ts';

/** What a driver may be unable to do, by the names under which the contract reports it as skipped. */
export type Ability =
  | 'permission'
  | 'guard'
  | 'reason'
  | 'strict'
  | 'question'
  | 'message'
  | 'busy message'
  | 'interrupt'
  | 'auth'
  | 'limit'
  | 'overload'
  | 'resume'
  | 'daemon'
  | 'hand-off'
  | 'reminder'
  | 'mcp'
  | 'old door'
  | 'cost'
  | 'late cost';

/** What the agent of a task does, in words that every stage can put into its own form. */
export type Deed =
  /** Writes a file of that name and commits it. */
  | { readonly commit: string }
  /** Changes a file with the tool that it has for that. */
  | { readonly write: { readonly path: string; readonly text: string } }
  /** Runs a command that needs leave. */
  | { readonly run: string }
  | { readonly ask: { readonly question: string; readonly options: readonly string[] } }
  /** Calls a tool of an MCP server that it was given. */
  | { readonly mcp: { readonly server: string; readonly tool: string; readonly args: Readonly<Record<string, unknown>> } }
  /** Ends the turn with these words. */
  | { readonly say: string }
  /** Goes on only when the test lets it. */
  | { readonly hold: string }
  /** The model refuses the first `times` requests. */
  | { readonly error: number; readonly times: number; readonly retryAfter?: number }
  /** The conversation has become too long. */
  | { readonly overflow: true };

export interface Settings {
  /** More of furrow.yaml. */
  readonly config?: Readonly<Record<string, unknown>>;
  /** More of the agent kind's settings. */
  readonly kind?: Readonly<Record<string, unknown>>;
  /** `isolation: strict`, with the model as the one host of this machine that may be called. */
  readonly strict?: true;
}

/** One kind of agent in one mode, ready to be put in a farm. */
export interface Stage {
  readonly name: string;
  readonly mode: 'window' | 'headless';
  /** What it cannot do, and why. */
  readonly cannot: Readonly<Partial<Record<Ability, string>>>;
  /** Why it is not there at all. */
  readonly missing: string | null;
  open(settings?: Settings): Promise<Scene>;
}

/** A farm with that agent, and the strings of its model in the test's hands. Left without a trace. */
export interface Scene extends AsyncDisposable {
  readonly repo: TestRepo;
  readonly farm: TestFarm;
  /** The body of a task whose agent does these things, one after the other. */
  body(...deeds: Deed[]): string;
  /** Resolves when the agent stands at a `hold`, or has come to it so many times. */
  held(name: string, times?: number): Promise<void>;
  release(name: string): void;
  /** The login stops working, until it is mended. */
  lockOut(): void;
  mend(): void;
  /** The provider limits the account with this key for so many seconds. */
  limit(key: string, seconds: number): void;
  /** The keys that the model was asked with, in turn. */
  keys(): readonly string[];
  /** How often a text stands in the conversation. */
  seen(text: string): Promise<number>;
  /** The bodies of the requests in its conversation. */
  requests(): readonly string[];
  /** What the model says it was asked and answered. */
  tokens(): Promise<number>;
  /** Presses what stops a turn, in the agent's window. */
  interrupt(): Promise<void>;
  /** Types a line in the agent's window, as a person does. */
  type(text: string): Promise<void>;
  /** What the agent's window shows. */
  screen(): Promise<string>;
  /** The door of a running attempt at which it has furrow's tools. */
  doorOf(attempt: number): Promise<OpenDoor>;
  /** Gives it to the agents that start from now on, as their server `former`. */
  handOn(door: OpenDoor): Promise<void>;
  /** Kills the agent's own processes with SIGKILL; how many. `meanwhile` comes before that, when they stand still. */
  kill(meanwhile?: () => Promise<void>): Promise<number>;
}
