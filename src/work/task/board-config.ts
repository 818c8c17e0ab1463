import { isAbsolute, normalize } from 'node:path';
import { parse } from 'yaml';
import { keptByText } from '../../platform/cache.ts';

/** The part of a board's `config.yml` that furrow uses. */
export interface BoardConfig {
  name: string;
  tasksDir: string;
  /** In workflow order; a new task starts at the first. */
  statuses: readonly string[];
  /** Ascending. */
  priorities: readonly string[];
  /** The order is the priority. */
  classes: readonly string[];
  defaults: { status: string; priority: string; class: string };
  nextId: number;
  /** The time for which a claim counts after `claimed_at`; 0: for ever. */
  claimTimeoutMs: number;
  /** The most tasks that a column may hold, by status. */
  wip: Readonly<Record<string, number>>;
  /** The most tasks of a class that may be under way, and whether they may go past a full column. */
  classWip: Readonly<Record<string, { readonly limit: number; readonly bypass: boolean }>>;
}

const HOUR_MS = 3_600_000;
/** One for each phase, and their previous versions. */
const MOST_READ = 32;
/** The config was read seven times for one new task, which took a twelfth of its processor time. */
const readYaml = keptByText<unknown>(MOST_READ, (source) => parse(source, { logLevel: 'error', maxAliasCount: 10 }));
/** The line of the counter, as furrow and kanban-md write it. */
const COUNTER = /(?<=^|\n)next_id: ([1-9]\d{0,14})(?=\r?\n|$)/g;

export const DEFAULT_CONFIG: BoardConfig = {
  name: 'board',
  tasksDir: 'tasks',
  statuses: ['backlog', 'todo', 'in-progress', 'review', 'done', 'archived'],
  priorities: ['low', 'medium', 'high', 'critical'],
  classes: ['expedite', 'fixed-date', 'standard', 'intangible'],
  defaults: { status: 'backlog', priority: 'medium', class: 'standard' },
  nextId: 1,
  claimTimeoutMs: HOUR_MS,
  wip: {},
  classWip: {},
};

/**
 * Reads a config of any version 1–11: statuses and classes as texts or as mappings; unknown keys are ignored, and wrong values replaced by
 * the default. A broken config is reported, but never makes a board unreadable.
 */
export function parseBoardConfig(source: string, base: BoardConfig = DEFAULT_CONFIG): { config: BoardConfig; problem?: string } {
  let raw: unknown;
  try {
    raw = readCounted(source)?.map ?? readYaml(source);
  } catch (error) {
    return { config: base, problem: `config.yml is not YAML: ${String((error as Error).message).split('\n', 1)[0]}` };
  }
  const map = asMap(raw);
  const statuses = names(map['statuses'], base.statuses);
  const defaults = asMap(map['defaults']);
  const tasksDir = folder(map['tasks_dir']);
  const config: BoardConfig = {
    name: word(asMap(map['board'])['name'], base.name),
    tasksDir: tasksDir ?? base.tasksDir,
    statuses,
    priorities: names(map['priorities'], base.priorities),
    classes: names(map['classes'], base.classes),
    defaults: {
      status: word(defaults['status'], statuses[0] ?? base.defaults.status),
      priority: word(defaults['priority'], base.defaults.priority),
      class: word(defaults['class'], base.defaults.class),
    },
    nextId: typeof map['next_id'] === 'number' && Number.isSafeInteger(map['next_id']) ? Math.max(1, map['next_id']) : 1,
    claimTimeoutMs: map['claim_timeout'] === undefined ? base.claimTimeoutMs : (duration(map['claim_timeout']) ?? base.claimTimeoutMs),
    wip: map['wip_limits'] === undefined ? base.wip : columnLimits(asMap(map['wip_limits'])),
    classWip: Array.isArray(map['classes']) ? classLimits(map['classes'].map(asMap)) : base.classWip,
  };
  return tasksDir === undefined && map['tasks_dir'] !== undefined
    ? { config, problem: 'config.yml: tasks_dir must be a folder inside the board' }
    : { config };
}

/** The same text with another `next_id`; `undefined` where the counter is not written as usual. */
export function withNextId(source: string, nextId: number): string | undefined {
  return readCounted(source)?.withCounter(nextId);
}

/**
 * Reads a config apart from its counter, which changes with every new task, while the rest was parsed before: 3 ms of each `furrow add`.
 * `undefined`: the counter is not one line of the top level, so that only the whole text tells its meaning.
 */
function readCounted(source: string): { map: Record<string, unknown>; withCounter(value: number): string } | undefined {
  const [found, ...more] = source.matchAll(COUNTER);
  if (!found || more.length > 0) return undefined;
  const withCounter = (value: number) => `${source.slice(0, found.index)}next_id: ${value}${source.slice(found.index + found[0].length)}`;
  // Of the same form as every other number there: a line inside some text would change that text, and not the key.
  const rest = asMap(readYaml(withCounter(0)));
  return rest['next_id'] === 0 ? { map: { ...rest, next_id: Number(found[1]) }, withCounter } : undefined;
}

function asMap(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function word(value: unknown, otherwise: string): string {
  return typeof value === 'string' && value.trim() !== '' ? value : otherwise;
}

function names(value: unknown, otherwise: readonly string[]): readonly string[] {
  if (!Array.isArray(value)) return otherwise;
  const found = value.map((item) => (typeof item === 'string' ? item : asMap(item)['name'])).filter((name) => typeof name === 'string');
  return found.length > 0 ? [...new Set(found)] : otherwise;
}

const UNITS: Record<string, number> = { h: HOUR_MS, m: 60_000, s: 1000, ms: 1 };

/** A time as Go writes it: `1h`, `90m`, `1h30m`, `0s`. */
function duration(value: unknown): number | undefined {
  if (value === 0 || value === '0') return 0;
  if (typeof value !== 'string' || !/^(?:\d+(?:\.\d+)?(?:ms|h|m|s))+$/.test(value)) return undefined;
  return [...value.matchAll(/(\d+(?:\.\d+)?)(ms|h|m|s)/g)].reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit!]!, 0);
}

/** 0 and anything that is no number mean no limit. */
const isLimit = (value: unknown): value is number => typeof value === 'number' && value > 0;

function columnLimits(limits: Record<string, unknown>): Record<string, number> {
  return Object.fromEntries(Object.entries(limits).filter((one): one is [string, number] => isLimit(one[1])));
}

function classLimits(classes: readonly Record<string, unknown>[]): BoardConfig['classWip'] {
  return Object.fromEntries(
    classes.flatMap(({ name, wip_limit: limit, bypass_column_wip: bypass }) =>
      typeof name === 'string' && isLimit(limit) ? [[name, { limit, bypass: bypass === true }]] : [],
    ),
  );
}

/** A relative path that stays below the board, or `undefined`. */
function folder(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '' || isAbsolute(value)) return undefined;
  const path = normalize(value);
  return path === '.' || path.startsWith('..') ? undefined : path.replace(/\/+$/, '');
}
