/**
 * An event that an agent reports, in one form for every driver. Hooks, control connections and transcripts are read into
 * these; nothing behind a driver knows what the agent's own words for them are.
 */
export type AgentEvent =
  /** It is up and has a conversation. */
  | { readonly on: 'ready'; readonly session: string; readonly transcript?: string }
  /** It accepted a text as its user's: the task, a message, or what a person typed. */
  | { readonly on: 'prompt'; readonly text: string }
  /** It is about to use a tool. May be denied. */
  | { readonly on: 'tool'; readonly tool: ToolUse }
  /** A tool ended. May be told something beside its result. */
  | { readonly on: 'tool-done'; readonly tool: ToolUse; readonly failed: boolean }
  /** It waits for permission to use a tool. `request` names the prompt, for as long as it is open. */
  | { readonly on: 'permission'; readonly request: string; readonly tool: ToolUse }
  | { readonly on: 'question'; readonly request: string; readonly questions: readonly AgentQuestion[] }
  /** Somebody else answered: a person in the window. */
  | { readonly on: 'answered'; readonly request: string }
  /** The turn is over by the agent's own will. May be told to go on. */
  | { readonly on: 'turn-ended'; readonly last: string }
  /** The turn is over because the model could not be asked. */
  | { readonly on: 'turn-failed'; readonly why: Trouble; readonly text: string; readonly until?: number }
  /** The agent itself tries again; furrow only notes it. */
  | { readonly on: 'retrying'; readonly why: Trouble; readonly text: string; readonly until?: number }
  /** A person stopped the turn. */
  | { readonly on: 'interrupted' }
  /** The total usage of the conversation so far, not the change since the last event. */
  | { readonly on: 'usage'; readonly session: string; readonly usage: Usage }
  /** Its conversation has ended; the process is about to. */
  | { readonly on: 'closed'; readonly reason: string };

export type Trouble = 'auth' | 'limit' | 'overloaded' | 'context' | 'error';

/** In order of trust. `channel` is its connection: the agent's own control protocol. */
export type Source = 'hook' | 'channel' | 'transcript' | 'title' | 'screen';

export interface ToolUse {
  /** The agent's own name of it: `Bash`, `shell`, `run_shell_command`. */
  readonly name: string;
  readonly action: 'run' | 'edit' | 'read' | 'fetch' | 'other';
  /** The whole command line, of a `run`. */
  readonly command?: string;
  /** Files it means to touch, as it named them: absolute, or relative to its worktree. */
  readonly paths: readonly string[];
  /** The folder it is used in, where the agent tells: a command line and its paths start there. */
  readonly cwd?: string;
  /** The exact request, to show to a person. */
  readonly input: unknown;
}

export interface AgentQuestion {
  readonly text: string;
  readonly options: readonly string[];
}

export interface Usage {
  /** Tokens in all, input without what was read from a cache. */
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  /** The cost that the agent itself reports; absent when it does not. */
  readonly usd?: number;
  readonly model?: string;
  /** The filled part of its context, 0 to 1, where the agent reports it. */
  readonly context?: number;
}

/** The answer of furrow to an event. The event limits which answers make sense; `pass` always does. */
export type Decision =
  | { readonly do: 'pass' }
  | { readonly do: 'allow' }
  | { readonly do: 'deny'; readonly reason: string }
  /** Beside the result of a tool. */
  | { readonly do: 'tell'; readonly text: string }
  /** At the end of a turn: another one, with this text. */
  | { readonly do: 'go-on'; readonly text: string }
  /** To a question: the chosen labels, or free text, one list for each question asked. */
  | { readonly do: 'answer'; readonly answers: readonly (readonly string[])[] };

export const PASS: Decision = { do: 'pass' };
