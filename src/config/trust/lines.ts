import { consistsOf } from '../../repo/change-rules/check-files.ts';
import { defaultsOf } from '../load.ts';
import type { AgentKind, Check, Config } from '../schema.ts';
import { type GitFolder, gitLines } from './git-lines.ts';
import { type Group, type HashedFile, type Line, mapText, nameText, quoted } from './line.ts';

/** The parts of the repository that run, pass secrets on, or decide what may run. */
export interface TrustFacts {
  readonly config: Config;
  /** Tasks with a check of their own. */
  readonly tasks: readonly { readonly ref: string; readonly check: string }[];
  /** Agents' own settings on the target: hooks, tool servers and permissions of theirs. */
  readonly settings: readonly HashedFile[];
  /** Hooks of git that run when an agent commits. */
  readonly hooks: readonly HashedFile[];
  /** The template of prompts in use; undefined: the built-in one. */
  readonly prompt: HashedFile | undefined;
  /** The repository's own git folder. */
  readonly git: GitFolder;
  /** Folders outside from which git takes objects as the repository's: agents read them. */
  readonly borrowed: readonly string[];
}

/** Everything a person has to know before anything of the repository starts, one line each. */
export function linesOf({ config, tasks, settings, hooks, prompt, git, borrowed }: TrustFacts): Line[] {
  const file = (what: string) => (one: HashedFile) => line('files', nameText(one.path), `${what}, content ${one.hash}`);
  return [
    ...agentLines(config),
    ...config.checks.flatMap((check) => checkLine(`checks.${nameText(check.name)}`, check)),
    ...config.queue.after.flatMap((check) => checkLine(`queue.after.${nameText(check.name)}`, check)),
    ...(config.race.judge === null ? [] : [line('checks', 'race.judge', quoted(config.race.judge))]),
    ...tasks.map(({ ref, check }) => line('checks', taskLine(ref), quoted(check))),
    ...config.worktree.setup.map((command, at) => line('setup', `worktree.setup ${at + 1}`, quoted(command))),
    ...config.queue.regenerate.map(({ paths, run }, at) => line('setup', `queue.regenerate ${at + 1}`, mapText({ run, paths }))),
    ...passedLines(config),
    ...borrowed.map((path) =>
      line('passes', `objects of ${nameText(path)}`, 'agents read them: the repository borrows them by objects/info/alternates'),
    ),
    ...(prompt ? [file('template of prompts')(prompt)] : []),
    ...settings.map(file("an agent's settings")),
    ...hooks.map(file('git hook')),
    ...gitLines(git),
    ...ruleLines(config),
    ...unclearLines(config, tasks),
  ];
}

const line = (group: Group, name: string, text: string): Line => ({ group, name, text });

/** The name of the line about a task's own check. */
export const taskLine = (ref: string): string => `check of task ${nameText(ref)}`;

/** The kinds that furrow.yaml says something about, and the one that tasks get by default. */
function agentLines({ agent, agents, spawn }: Config): Line[] {
  const kinds = Object.entries(agents).flatMap(([name, kind]) => {
    const set = settingsOf(name, kind);
    const says = Object.keys(set).length > 1 || kind.driver !== defaultsOf(name).driver;
    return says || name === agent ? [line('agents', `agents.${nameText(name)}`, mapText(set))] : [];
  });
  const spawns = spawn.most > 0 && spawn.kinds.length > 0 ? [line('agents', 'spawn', mapText(spawn))] : [];
  return [line('agents', 'agent', quoted(agent)), ...kinds, ...spawns];
}

/** The driver, and each setting that differs from its default. */
function settingsOf(name: string, kind: AgentKind): Record<string, unknown> {
  const usual = defaultsOf(name) as unknown as Readonly<Record<string, unknown>>;
  const set = Object.entries(kind).filter(([key, value]) => key !== 'driver' && JSON.stringify(value) !== JSON.stringify(usual[key]));
  return { driver: kind.driver, ...Object.fromEntries(set) };
}

function checkLine(name: string, { run, env, dir }: Check): Line[] {
  const more = { ...(dir !== undefined && { dir }), ...(Object.keys(env).length > 0 && { env }) };
  return [line('checks', name, Object.keys(more).length > 0 ? mapText({ run, ...more }) : quoted(run))];
}

function passedLines({ worktree, queue, notify, circle }: Config): Line[] {
  const { name, send, accept } = circle;
  return [
    ...Object.entries(worktree.env).map(([name, value]) => line('passes', `worktree.env.${nameText(name)}`, quoted(value))),
    ...(worktree.copy.length > 0 ? [line('passes', 'worktree.copy', quoted(worktree.copy))] : []),
    ...(queue.remote === null ? [] : [line('passes', 'queue.remote', quoted(queue.remote))]),
    ...(send.length + accept.length > 0 ? [line('passes', 'circle', mapText({ name, send, accept }))] : []),
    ...(notify.webhook === null ? [] : [line('passes', 'notify.webhook', mapText(notify.webhook))]),
  ];
}

/** Shown also at their defaults, so that removing a rule is a change, and asks again. */
function ruleLines({
  permissions,
  isolation,
  fence,
  limits,
  land,
  phases,
  protect,
  approve,
  approve_defaults: defaults,
  screen,
  review,
}: Config): Line[] {
  const lands = Object.entries(phases).flatMap(([name, phase]) => (phase.land === undefined ? [] : [[name, phase.land]]));
  const list = (values: readonly unknown[]) => (values.length > 0 ? quoted(values) : 'none');
  return [
    line('rules', 'isolation', isolation === undefined ? 'not set: guard where it works, else none' : quoted(isolation)),
    ...(fence.read.length > 0 ? [line('rules', 'fence.read', list(fence.read))] : []),
    ...(fence.write.length > 0 ? [line('rules', 'fence.write', list(fence.write))] : []),
    ...(fence.network.length > 0 ? [line('rules', 'fence.network', list(fence.network))] : []),
    ...(Object.keys(limits).length > 0 ? [line('rules', 'limits', mapText(limits))] : []),
    line('rules', 'land', lands.length > 0 ? mapText({ land, phases: Object.fromEntries(lands) }) : quoted(land)),
    line('rules', 'permissions.rules', list(permissions.rules)),
    line('rules', 'protect', list(protect)),
    line('rules', 'approve', list(approve)),
    ...(defaults ? [] : [line('rules', 'approve_defaults', 'false')]),
    line('rules', 'review', mapText(review)),
    ...(screen.allow.length > 0 ? [line('rules', 'screen.allow', list(screen.allow))] : []),
  ];
}

/** Checks in whose command lines something may be anything: which files they consist of cannot be told, so a change of one may land without a yes. */
function unclearLines({ checks, queue, race }: Config, tasks: TrustFacts['tasks']): Line[] {
  const all: (readonly [string, { readonly run: string }])[] = [
    ...checks.map((check) => [`checks.${nameText(check.name)}`, check] as const),
    ...queue.after.map((check) => [`queue.after.${nameText(check.name)}`, check] as const),
    ...(race.judge === null ? [] : [['race.judge', { run: race.judge }] as const]),
    ...tasks.map(({ ref, check }) => [taskLine(ref), { run: check }] as const),
  ];
  return all.flatMap(([name, check]) => {
    const { unclear } = consistsOf(check);
    const what = unclear.map((part) => quoted(part)).join(', ');
    return unclear.length === 0
      ? []
      : [line('rules', `files of ${name}`, `not everything can be listed: ${what} may be anything, and may change without your approval`)];
  });
}
