import type { ToolUse } from '../event.ts';

/** The tool use that an agent asks permission for. */
export interface Asked {
  readonly tool: ToolUse;
  readonly worktree: string;
}

export interface Policy {
  /** `observe`: every request is a person's; `suggest`: with the answer the rules would give; `act`: the rules answer. */
  readonly mode: 'observe' | 'suggest' | 'act';
  readonly rules: readonly Rule[];
  /** Command lines that may always be run. */
  readonly checks: readonly string[];
  /** Patterns of paths that agents leave alone. */
  readonly protect: readonly string[];
  /** Of other agents, in force now. */
  readonly leases: readonly { readonly holder: string; readonly pattern: string; readonly until: number | null }[];
}

export interface Rule {
  readonly do: 'allow' | 'deny';
  /** `run`, `edit`, `read`, `fetch`, or the agent's own name of a tool. */
  readonly tool?: string | undefined;
  /** Held against each simple command of the line; a `*` stands for anything, ` *` at the end also for nothing. */
  readonly command?: string | undefined;
  /** Inside the worktree. */
  readonly path?: string | undefined;
}

export interface Verdict {
  readonly do: 'allow' | 'deny' | 'ask';
  /** Which rule, for the log. */
  readonly by: string;
  readonly suggest?: 'allow' | 'deny';
}
