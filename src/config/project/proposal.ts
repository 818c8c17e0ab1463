/** A command line and the reason for it, in words for the user. */
export interface Step {
  readonly run: string;
  readonly because: string;
}

/** A rule for `queue.regenerate`. */
export interface Rule extends Step {
  readonly paths: readonly string[];
}

/** Something the user should know or do; `next` is what to type. */
export interface Remark {
  readonly text: string;
  readonly next: string | null;
}

/** One way to build and check the project, such as npm or cargo. */
export interface Candidate {
  readonly name: string;
  /** The files that it was recognised by. */
  readonly because: string;
  /** Source files of its language. */
  readonly sources: RegExp;
  /** Programs by which CI tests such a project. */
  readonly tools: RegExp;
  readonly setup: readonly Step[];
  readonly check: Step | undefined;
  readonly caches: readonly { readonly path: string; readonly because: string }[];
  readonly regenerate: readonly Rule[];
  readonly remarks: readonly Remark[];
}

/** The proposal for a whole project: what `furrow init` shows, and what it writes when the user agrees. */
export interface Proposal {
  /** The recognised kinds, the chosen one first, each with why it was chosen or not. */
  readonly kinds: readonly { readonly name: string; readonly because: string; readonly chosen: boolean }[];
  readonly setup: readonly Step[];
  readonly checks: readonly (Step & { readonly name: string })[];
  readonly caches: readonly { readonly path: string; readonly because: string }[];
  readonly regenerate: readonly Rule[];
  readonly remarks: readonly Remark[];
}

const ASSIGNMENT = /^[A-Za-z_][A-Za-z0-9_]*=("[^"]*"|'[^']*'|\S*)$/;
const OPENERS = new Set(['(', '{', 'env', 'exec', 'time', 'nice', '!', 'if', 'then', 'command']);
const BUILT_IN = new Set([
  'cd',
  'echo',
  'test',
  '[',
  'true',
  'false',
  'export',
  'set',
  'exit',
  ':',
  '.',
  'source',
  'for',
  'while',
  'case',
  'do',
  'printf',
]);

/**
 * Programs that a command line starts, as far as plain words tell: the first word of each part that is not a variable or
 * part of the shell. Words with variables in them are left out.
 */
export function programsOf(line: string): string[] {
  const parts = line.split(/&&|\|\||[;|\n]/).map((part) => part.trim().match(/"[^"]*"|'[^']*'|\S+/g) ?? []);
  const found = parts.map((words) => words.find((word) => !ASSIGNMENT.test(word) && !OPENERS.has(word)));
  return [...new Set(found.filter((word) => word !== undefined && /^[\w./@+-]+$/.test(word) && !BUILT_IN.has(word)))] as string[];
}

/** Programs that come in a package of another name. */
const BROUGHT_BY: Readonly<Record<string, string>> = {
  autoreconf: 'autoconf, automake and libtool',
  ctest: 'cmake',
  bundle: 'bundler',
};

/** The package to install to get a program. */
export const packageOf = (program: string): string => BROUGHT_BY[program] ?? program;
