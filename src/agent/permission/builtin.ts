import { guardPath } from './guard.ts';
import { insideOf } from './path.ts';
import type { Policy } from './policy.ts';
import type { Simple } from './shell.ts';

/** Where a command is, and what it must keep off. */
export interface Ground {
  readonly worktree: string;
  readonly policy: Pick<Policy, 'protect' | 'leases'>;
}

interface BuiltIn {
  readonly what: string;
  readonly program: string;
  /** Options that run a program, write a file, wait for ever, or read what was not named. Without their dashes, as regular expression. */
  readonly never?: RegExp;
  readonly allows: (args: readonly string[], ground: Ground) => boolean;
}

/** Commands by which an agent talks to the farm. */
const WORDS = new Set(['done', 'blocked', 'progress', 'ask', 'inbox']);

/** Options of git by which it runs something, writes elsewhere or opens an editor. It takes the beginning of a long option for the whole. */
const GIT_LONG = [
  'ext-diff',
  'textconv',
  'output',
  'no-index',
  'filters',
  'open-files-in-pager',
  'upload-pack',
  'exec',
  'exec-path',
  'edit',
  'interactive',
  'patch',
  'no-verify',
  'gpg-sign',
  'strategy',
  'show-signature',
  'template',
  'reedit-message',
  'trailer',
];
/** Sub-commands, each with its short options that are not allowed. */
const GIT: Record<string, string> = {
  status: '',
  diff: 'O',
  log: 'O',
  show: 'O',
  add: 'eip',
  commit: 'ceipntS',
  merge: 'seS',
  'rev-parse': '',
  'rev-list': '',
  'merge-base': '',
  'ls-files': '',
  blame: '',
  describe: '',
};
/** Read as patches elsewhere, so only here: `git log --patch` shows, `git add --patch` asks. */
const SHOWS = new Set(['diff', 'log', 'show', 'rev-list']);
/** A commit without one of these opens an editor. */
const HAS_MESSAGE = /^(-[aqs]*[mFC].*|--(message|file|no-edit|fixup|reuse-message)(=.*)?)$/;

/** Commands that may run under `act` without a rule of the user's: looking around in the worktree, committing, and talking to the farm. */
export const BUILT_IN: readonly BuiltIn[] = [
  { what: 'furrow done, blocked, progress, ask, inbox', program: 'furrow', allows: ([word]) => WORDS.has(word ?? '') },
  { what: `git ${Object.keys(GIT).join(', ')}`, program: 'git', allows: allowsGit },
  { what: 'echo', program: 'echo', allows: () => true },
  { what: 'pwd', program: 'pwd', allows: (args) => args.length === 0 },
  { what: 'true', program: 'true', allows: () => true },
  { what: 'ls in the worktree', program: 'ls', allows: staysInside },
  { what: 'cat in the worktree', program: 'cat', allows: staysInside },
  { what: 'head in the worktree', program: 'head', allows: staysInside },
  { what: 'tail in the worktree', program: 'tail', never: /^-([^-]*[fF]|-f|-r)/, allows: staysInside },
  { what: 'wc in the worktree', program: 'wc', never: /^--files/, allows: staysInside },
  { what: 'grep in the worktree', program: 'grep', allows: searches },
  { what: 'rg in the worktree', program: 'rg', never: /^--(pre|hostname-bin|search-zip)|^-[^-]*z/, allows: searches },
  { what: 'mkdir in the worktree', program: 'mkdir', never: /^-[^-]*[mZ]|^--(mode|context)/, allows: makes },
];

/** The built-in rule that lets this command run, by its name. */
export function builtIn(command: Simple, ground: Ground): string | undefined {
  const [program, ...args] = command.words;
  const rule = BUILT_IN.find((one) => one.program === program);
  if (rule === undefined || args.some((arg) => rule.never?.test(arg))) return undefined;
  return rule.allows(args, ground) ? rule.what : undefined;
}

/** Every word that could be a path, also one that is glued to an option, leads nowhere out of the worktree. */
function staysInside(args: readonly string[], { worktree }: Ground): boolean {
  return args.every((arg) => {
    // Where the value begins in `-rf/etc/passwd` only the program knows.
    if (/^-[^-]/.test(arg)) return !arg.includes('/') && !arg.includes('..');
    const value = /^--[^=]*=(.*)$/s.exec(arg)?.[1] ?? arg;
    return [arg, value].every((path) => path === '' || insideOf(worktree, path) !== undefined);
  });
}

/** A pattern is no path, even when it looks like one: the first word, unless an option gave it. */
function searches(args: readonly string[], ground: Ground): boolean {
  const given = args.some((arg) => /^-[^-]*[ef]|^--(re|f|$)/.test(arg));
  const first = given ? -1 : args.findIndex((arg) => !arg.startsWith('-'));
  return staysInside(
    args.filter((_, i) => i !== first),
    ground,
  );
}

function makes(args: readonly string[], { worktree, policy }: Ground): boolean {
  return args.every((arg) => arg.startsWith('-') || guardPath(arg, worktree, policy) === undefined);
}

function allowsGit([sub, ...args]: readonly string[], ground: Ground): boolean {
  const short = GIT[sub ?? ''];
  if (sub === undefined || short === undefined) return false;
  if (sub === 'commit' && !args.some((arg) => HAS_MESSAGE.test(arg))) return false;
  const end = args.indexOf('--');
  const options = (end < 0 ? args : args.slice(0, end)).filter((arg) => arg.startsWith('-') && arg !== '-');
  return options.every((option) => harmless(sub, option, short)) && staysInside(withoutMessages(sub, args), ground);
}

function harmless(sub: string, option: string, short: string): boolean {
  if (!option.startsWith('--')) return ![...cluster(sub, option)].some((letter) => short.includes(letter));
  const name = option.slice(2).split('=')[0]!;
  return !GIT_LONG.some((long) => long.startsWith(name) && !(long === 'patch' && SHOWS.has(sub)));
}

/** The letters of `-qam text` up to the one that takes the rest of the word as its value. */
function cluster(sub: string, option: string): string {
  const taking = sub === 'commit' || sub === 'merge' ? /[mFCuX]/ : /[SGLnUMB]/;
  const letters = option.slice(1);
  const value = letters.search(taking);
  return value < 0 ? letters : letters.slice(0, value);
}

/** A message is no path either. */
function withoutMessages(sub: string, args: readonly string[]): string[] {
  if (sub !== 'commit' && sub !== 'merge') return [...args];
  const opens = (arg: string | undefined) => arg !== undefined && /^(-[aqs]*m|--message)$/.test(arg);
  return args.filter((arg, i) => !opens(args[i - 1]) && !/^(-[aqs]*m.|--message=)/s.test(arg));
}
