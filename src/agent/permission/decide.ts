import { matchesAny } from '../../platform/glob.ts';
import { builtIn, type Ground } from './builtin.ts';
import { guard, guardPath } from './guard.ts';
import { insideOf, isGits } from './path.ts';
import type { Asked, Policy, Rule, Verdict } from './policy.ts';
import { innerLine, parseLine, type Simple } from './shell.ts';
import { wildcard } from './wildcard.ts';

/**
 * The answer to an agent's request. A hard denial holds in every mode; a deny of the rules wins over every allow; a command
 * line is allowed only when each command in it is; what is not understood is a person's to answer.
 */
export function decide(asked: Asked, policy: Policy): Verdict {
  const hard = guard(asked, policy);
  if (hard) return { do: 'deny', by: `guard: ${hard.reason}` };
  if (policy.mode === 'observe') return { do: 'ask', by: 'mode observe' };
  const verdict = judge(asked, policy);
  if (policy.mode === 'act' || verdict.do === 'ask') return verdict;
  return { do: 'ask', by: verdict.by, suggest: verdict.do };
}

/** The rule by which a tool must not be used, also when the agent would not have asked; undefined: none says so. */
export function forbidden(asked: Asked, policy: Policy): string | undefined {
  if (policy.mode !== 'act') return undefined;
  const verdict = judge(asked, policy);
  return verdict.do === 'deny' ? verdict.by : undefined;
}

function judge(asked: Asked, policy: Policy): Verdict {
  return asked.tool.action === 'run' ? judgeLine(asked, policy) : judgeTool(asked, policy);
}

function judgeTool({ tool, worktree }: Asked, policy: Policy): Verdict {
  const applying = policy.rules.filter((rule) => rule.command === undefined && forTool(rule, tool));
  const inside = tool.paths.map((path) => insideOf(worktree, path));
  const covers = (rule: Rule, path: string | undefined) => rule.path === undefined || (path !== undefined && matchesAny(path, [rule.path]));
  const denied = applying.find((rule) => rule.do === 'deny' && (inside.length > 0 ? inside.some((p) => covers(rule, p)) : !rule.path));
  if (denied) return { do: 'deny', by: named(denied, policy) };
  const allows = applying.filter((rule) => rule.do === 'allow');
  const allowing =
    inside.length > 0 ? inside.map((path) => allows.find((rule) => covers(rule, path))) : [allows.find((rule) => !rule.path)];
  if (allowing.every((rule) => rule !== undefined)) return { do: 'allow', by: named(allowing[0]!, policy) };
  const own = inside.length > 0 && inside.every((path) => path !== undefined && !isGits(path));
  if (own && (tool.action === 'read' || tool.action === 'edit')) return { do: 'allow', by: `built-in: ${tool.action} in the worktree` };
  return { do: 'ask', by: 'no rule' };
}

function judgeLine({ tool, worktree }: Asked, policy: Policy): Verdict {
  const line = innerLine(tool.command?.trim() ?? '');
  const commands = parseLine(line);
  const applying = policy.rules.filter((rule) => forTool(rule, tool));
  const denied = applying.find((rule) => rule.do === 'deny' && denies(rule, line, commands, worktree));
  if (denied) return { do: 'deny', by: named(denied, policy) };
  if (line !== '' && policy.checks.some((check) => check.trim() === line)) return { do: 'allow', by: 'check' };
  if (commands === undefined) return { do: 'ask', by: 'not understood' };
  const ground = { worktree, policy };
  const away = commands.find((command) => !redirectsStay(command, ground));
  if (away) return { do: 'ask', by: `redirect: ${[...away.reads, ...away.writes].join(', ')}` };
  const allows = applying.filter((rule) => rule.do === 'allow' && rule.path === undefined);
  const by = commands.map((command) => allowedBy(command, allows, policy, ground));
  const open = by.indexOf(undefined);
  return open < 0 ? { do: 'allow', by: [...new Set(by)].join(', ') } : { do: 'ask', by: `no rule for ${textOf(commands[open]!.words)}` };
}

function allowedBy(command: Simple, allows: readonly Rule[], policy: Policy, ground: Ground): string | undefined {
  const text = textOf(command.words);
  const check = policy.checks.some((line) => isSame(parseLine(line), command));
  if (check) return 'check';
  const rule = allows.find((allow) => allow.command === undefined || wildcard(allow.command, text));
  if (rule) return named(rule, policy);
  const own = builtIn(command, ground);
  return own === undefined ? undefined : `built-in: ${own}`;
}

/** A deny also holds for the program under its full path, and for a line that could not be taken apart. */
function denies(rule: Rule, line: string, commands: readonly Simple[] | undefined, worktree: string): boolean {
  const files = (commands ?? []).flatMap((command) => [...command.reads, ...command.writes]).map((path) => insideOf(worktree, path));
  if (rule.path !== undefined && !files.some((path) => path !== undefined && matchesAny(path, [rule.path!]))) return false;
  if (rule.command === undefined) return true;
  const texts = (commands ?? []).flatMap(({ words }) => [textOf(words), textOf([words[0]!.replace(/^.*\//, ''), ...words.slice(1)])]);
  return [line, ...texts].some((text) => wildcard(rule.command!, text));
}

function redirectsStay({ reads, writes }: Simple, { worktree, policy }: Ground): boolean {
  return (
    reads.every((path) => insideOf(worktree, path) !== undefined) && writes.every((path) => guardPath(path, worktree, policy) === undefined)
  );
}

function isSame(check: readonly Simple[] | undefined, { words, writes, reads }: Simple): boolean {
  const [only, ...more] = check ?? [];
  if (only === undefined || more.length > 0 || only.writes.length + only.reads.length + writes.length + reads.length > 0) return false;
  return only.words.length === words.length && only.words.every((word, i) => word === words[i]);
}

const forTool = (rule: Rule, tool: Asked['tool']) => rule.tool === undefined || rule.tool === tool.action || rule.tool === tool.name;

/** As one would write it: a word that is more than one, or none, keeps its quotes. */
const textOf = (words: readonly string[]): string => words.map((word) => (/^[^\s'"]+$/.test(word) ? word : `'${word}'`)).join(' ');

function named(rule: Rule, { rules }: Policy): string {
  const what = [rule.tool, rule.command, rule.path].filter((part) => part !== undefined).join(' ');
  return `rule ${rules.indexOf(rule) + 1}: ${rule.do} ${what || 'anything'}`;
}
