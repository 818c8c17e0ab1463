import { posix } from 'node:path';
import type { ToolUse } from '../event.ts';
import type { Look, Place } from './path.ts';

/** The tool use that an agent asks permission for. */
export interface Asked {
  readonly tool: ToolUse;
  readonly worktree: string;
  readonly look: Look;
  readonly hooks: Hooks;
}

/** The hooks that git runs in a worktree, where they are files of the worktree. */
export interface Hooks {
  /** The folder they are in, inside the worktree; undefined: they are outside, and not an agent's to change. */
  readonly folder: string | undefined;
  /** One of them is no longer as the attempt began with it: git would run the agent's own text. */
  readonly changed: boolean;
}

export const NO_HOOKS: Hooks = { folder: undefined, changed: false };

/** The folder that the paths of a request start from: the agent's own, where it tells which. */
export function placeOf({ tool, worktree, look }: Asked): Place {
  const cwd = tool.cwd === undefined ? worktree : posix.resolve(worktree, tool.cwd);
  // An agent tells its folder as the links lead, and the worktree may be named by one of them.
  return { worktree, cwd: look.real(cwd) === look.real(worktree) ? worktree : cwd, look };
}

export interface Policy {
  /** It was asked for an answer, not for a change: it edits nothing. */
  readonly answers?: boolean;
  /** `observe`: every request is a person's; `suggest`: with the answer the rules would give; `act`: the rules answer; `fence`: yes to all that no rule denies. */
  readonly mode: 'observe' | 'suggest' | 'act' | 'fence';
  readonly rules: readonly Rule[];
  /** Command lines that may always be run. */
  readonly checks: readonly string[];
  /** `protect:` of furrow.yaml, and the board's folder inside the repository: what an agent's work may not change when it lands, it may not write. */
  readonly protect: readonly string[];
  readonly board?: string | undefined;
  /** Of other agents, in force now. */
  readonly leases: readonly {
    readonly holder: string;
    readonly pattern: string;
    readonly until: number | null;
    readonly reason?: string | null;
    /** An agent asked for it; a task did not just name it. Such a lease also keeps others from paths that their own task names. */
    readonly reserved?: boolean;
  }[];
  /** The paths that its own task names: its own to change, whoever else named them too. */
  readonly own: readonly string[];
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
  /** The rule that decided, for the log. */
  readonly by: string;
  readonly suggest?: 'allow' | 'deny';
}
