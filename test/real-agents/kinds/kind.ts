import type { Ability } from '../stage.ts';

/** What a farm needs to run one real agent against a model of ours. */
export interface Kind {
  readonly name: 'claude' | 'codex' | 'opencode' | 'gemini' | 'qwen' | 'gemini-acp' | 'opencode-acp' | 'claude-acp';
  /** The name of its program, where that is another. */
  readonly program?: string;
  /** The kind's part of furrow.yaml. */
  settings(url: string): Record<string, unknown>;
  /** Keys reach the agent as a user's do: by the environment of whoever starts the farm, named in `pass_env`. */
  readonly secrets: Readonly<Record<string, string>>;
  /** The home of somebody who has used the agent before: logged in, past the first questions. */
  seed(place: { readonly home: string; readonly root: string; readonly url: string }): Promise<void>;
  /** Gives the agents that start from now on one more MCP server, as far as their files do; answers what of their settings does. Left out: nobody has needed it yet. */
  serve?(place: { readonly home: string }, server: Served): Promise<Record<string, unknown>>;
  /** Its own sandbox keeps it from the repository's git folder: it asks for leave to commit. */
  readonly sandboxed: boolean;
  /** What its processes are called. */
  readonly processes: RegExp;
  /** The keys by which a person stops a turn: the first, and each that is asked for on the screen then. */
  readonly interrupt: readonly [string, ...{ readonly key: string; readonly after: RegExp }[]];
  readonly cannot: Readonly<Record<'window' | 'headless', Partial<Record<Ability, string>>>>;
}

/** An MCP server at an http door of furrow's. */
export interface Served {
  readonly name: string;
  readonly url: string;
  readonly token: string;
}

export const KEY = 'sk-test';
