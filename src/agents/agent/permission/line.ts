import { builtIn } from './builtin.ts';
import { deniedPath, heldPath, hookAt } from './denied.ts';
import type { Effects } from './effects.ts';
import { isGits, namesOf, type Place, patternStays } from './path.ts';
import { type Asked, type Policy, placeOf, type Rule, type Verdict } from './policy.ts';
import { covers, forFiles, forTool, named } from './rule.ts';
import { innerLine, parseLine, type Simple } from './shell.ts';

/** A command of a line, with what it does if a built-in rule knows it, and with all files that it is known to touch. */
interface Command {
  readonly simple: Simple;
  readonly known: Effects | undefined;
  readonly reads: readonly string[];
  readonly writes: readonly string[];
}

/** The verdict on a command line: denied when one of its commands is; allowed when all of them are, and all files that they touch. */
export function judgeLine(asked: Asked, policy: Policy): Verdict {
  const line = innerLine(asked.tool.command?.trim() ?? '');
  const place = placeOf(asked);
  const commands = parseLine(line)?.map(commandOf);
  const denied = policy.rules.find((rule) => rule.do === 'deny' && denies(rule, line, commands ?? [], asked));
  if (denied) return { do: 'deny', by: named(denied, policy) };
  if (line !== '' && place.cwd === place.worktree && policy.checks.some((check) => check.trim() === line))
    return { do: 'allow', by: 'check' };
  if (commands === undefined) return { do: 'ask', by: 'not understood' };
  const held = commands.flatMap(({ writes }) => writes.map((path) => heldPath(path, place, policy))).find((reason) => reason !== undefined);
  if (held !== undefined) return { do: 'deny', by: held };
  const against = commands.map((command) => redirected(command, asked, policy)).find((reason) => reason !== undefined);
  if (against !== undefined) return { do: 'ask', by: `redirect: ${against}` };
  const allows = policy.rules.filter((rule) => rule.do === 'allow' && rule.path === undefined && forTool(rule, asked.tool));
  const by = commands.map((command) => allowedBy(command, allows, policy, asked));
  const open = by.findIndex((one) => 'not' in one);
  if (open >= 0) return { do: 'ask', by: (by[open] as { not: string }).not };
  if (bringsFiles(commands)) return { do: 'ask', by: 'it touches files that the merge beside it may bring' };
  return { do: 'allow', by: [...new Set(by.map((one) => (one as { by: string }).by))].join(', ') };
}

function commandOf(simple: Simple): Command {
  const known = builtIn(simple);
  const { reads = [], writes = [] } = known ?? {};
  return { simple, known, reads: [...simple.reads, ...reads], writes: [...simple.writes, ...writes] };
}

function allowedBy({ simple, known }: Command, allows: readonly Rule[], policy: Policy, asked: Asked): { by: string } | { not: string } {
  const text = textOf(simple.words);
  const place = placeOf(asked);
  if (place.cwd === place.worktree && policy.checks.some((line) => isSame(parseLine(line), simple))) return { by: 'check' };
  const rule = allows.find((allow) => allow.command === undefined || wildcard(allow.command, text));
  if (rule) return { by: named(rule, policy) };
  if (known === undefined) return { not: `no rule for ${text}` };
  const against = misplaced(simple, known, asked, policy);
  return against === undefined ? { by: `built-in: ${known.what}` } : { not: `no rule for ${text}: ${against}` };
}

/** The reason why a built-in command is not allowed in this place or on these files. */
function misplaced({ patterns }: Simple, known: Effects, asked: Asked, policy: Policy): string | undefined {
  const place = placeOf(asked);
  const { hooks } = asked;
  if (namesOf(place, '.') === undefined) return `${place.cwd} is not in the worktree`;
  if (known.stays && place.look.real(known.reads[0]!) !== place.look.real(place.cwd)) return 'it goes to another folder';
  if (known.git !== undefined) {
    // A folder that looks like a bare repository would be taken for one, with its settings.
    if (place.cwd !== place.worktree) return 'git is used below the worktree';
    if (hooks.changed || (hooks.folder !== undefined && known.git === 'brings'))
      return `git would run hooks that may have changed (${hooks.folder})`;
  }
  const away =
    known.reads.find((path) => !isReadable(path, place)) ??
    patterns.find((pattern) => known.git === undefined && !patternStays(place, pattern));
  if (away !== undefined) return `${away} leads elsewhere`;
  if (known.deep && policy.rules.some((rule) => rule.do === 'deny' && forFiles(rule, 'read'))) return 'a rule denies reading some files';
  return written(known.writes, asked, policy);
}

/** The reason why a redirect of this command needs a person's answer. */
function redirected({ simple }: Command, asked: Asked, policy: Policy): string | undefined {
  const away = simple.reads.find((path) => !isReadable(path, placeOf(asked)));
  return away === undefined ? written(simple.writes, asked, policy) : `${away} is not in the worktree`;
}

function written(paths: readonly string[], asked: Asked, policy: Policy): string | undefined {
  const why = (path: string) => deniedPath(path, placeOf(asked), policy) ?? hookAt(path, asked);
  return paths.map(why).find((reason) => reason !== undefined);
}

const isReadable = (path: string, place: Place): boolean => namesOf(place, path)?.some(isGits) === false;

/** A merge brings files and links of another branch, and where a path leads was looked at before. Git itself follows no links. */
function bringsFiles(commands: readonly Command[]): boolean {
  const touches = ({ simple, reads, writes, known }: Command) =>
    known?.git === undefined ? reads.length + writes.length > 0 : simple.reads.length + simple.writes.length > 0;
  const merges = commands.filter(({ known }) => known?.git === 'brings');
  return merges.length > 0 && commands.some((command) => (!merges.includes(command) || merges.length > 1) && touches(command));
}

/** A deny also holds for the program under its full path, for a line that could not be taken apart, and for the files of a line. */
function denies(rule: Rule, line: string, commands: readonly Command[], asked: Asked): boolean {
  const some = (files: (command: Command) => readonly string[]) =>
    commands.some((command) => files(command).some((path) => covers(rule, namesOf(placeOf(asked), path))));
  if (forFiles(rule, 'edit') && some(({ writes }) => writes)) return true;
  if (forFiles(rule, 'read') && some(({ reads }) => reads)) return true;
  if (!forTool(rule, asked.tool)) return false;
  if (rule.path !== undefined && !some(({ reads, writes }) => [...reads, ...writes])) return false;
  if (rule.command === undefined) return true;
  const texts = commands.flatMap(({ simple: { words } }) => [textOf(words), textOf([words[0]!.replace(/^.*\//, ''), ...words.slice(1)])]);
  return [line, ...texts].some((text) => wildcard(rule.command!, text));
}

function isSame(check: readonly Simple[] | undefined, { words, writes, reads }: Simple): boolean {
  const [only, ...more] = check ?? [];
  if (only === undefined || more.length > 0 || only.writes.length + only.reads.length + writes.length + reads.length > 0) return false;
  return only.words.length === words.length && only.words.every((word, i) => word === words[i]);
}

/** The command as a person would type it: a word with blanks, or an empty one, keeps its quotes. */
const textOf = (words: readonly string[]): string => words.map((word) => (/^[^\s'"]+$/.test(word) ? word : `'${word}'`)).join(' ');

/**
 * True when a text matches a pattern in which `*` stands for any characters and `?` for one. In one pass, since patterns and
 * texts come from outside. ` *` at the end also stands for nothing: `npm test *` has `npm test`.
 */
function wildcard(pattern: string, text: string): boolean {
  if (pattern.endsWith(' *') && wildcard(pattern.slice(0, -2), text)) return true;
  let [p, t, star, from] = [0, 0, -1, 0];
  while (t < text.length) {
    if (pattern[p] === '*') [star, from] = [p++, t];
    else if (p < pattern.length && (pattern[p] === '?' || pattern[p] === text[t])) [p, t] = [p + 1, t + 1];
    else if (star >= 0) [p, t] = [star + 1, ++from];
    else return false;
  }
  while (pattern[p] === '*') p++;
  return p === pattern.length;
}
