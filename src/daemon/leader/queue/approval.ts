import type { Selectable } from 'kysely';
import type { Config } from '../../../config/schema.ts';
import type { EntryRow } from '../../../journal/rows/entry.ts';
import type { TaskRow } from '../../../journal/rows/task.ts';
import { judgingFiles } from '../../../repo/change-rules/check-files.ts';
import { type ContentIssue, contentRule, issueText } from '../../../repo/change-rules/content-issue.ts';
import { delicateIn, named, proseIn } from '../../../repo/change-rules/protected.ts';
import { twinMatcher } from '../../../repo/change-rules/twin.ts';
import { askedAtSubmit, type Submitter } from '../../../work/entry/submitter.ts';
import { splitRef } from '../../../work/task/id.ts';

type Rules = Pick<Config, 'land' | 'approve' | 'approve_defaults' | 'phases' | 'checks' | 'queue' | 'race' | 'prompt' | 'screen'>;
type TaskLand = Pick<Selectable<TaskRow>, 'id' | 'phase' | 'land' | 'check'>;
type Row = Pick<Selectable<EntryRow>, 'agent' | 'land' | 'approved' | 'paths' | 'task'>;

/**
 * The rules of the configuration and the task that ask for a person's yes. The most specific `land` counts: the task's, else the phase's,
 * else the farm's.
 */
export function landRule(config: Pick<Config, 'land' | 'phases'>, by: Submitter, task: TaskLand | undefined, ref: string): string[] {
  if (by !== 'agent') return [];
  const phase = task?.phase ?? splitRef(ref)?.phase ?? '';
  const ofPhase = config.phases[phase]?.land;
  if (task?.land) return task.land === 'approve' ? [`land: approve of task ${task.id}`] : [];
  if (ofPhase) return ofPhase === 'approve' ? [`land: approve of phase ${phase}`] : [];
  return config.land === 'approve' ? ['land: approve in furrow.yaml'] : [];
}

const SHOWN = 3;

/** `approve:` asks for a yes to every change of one of its paths. */
export function pathRule({ approve }: Pick<Config, 'approve'>, paths: readonly string[]): string[] {
  const found = approve.length === 0 ? [] : paths.filter(twinMatcher(approve));
  return found.length > 0 ? [`approve: for ${named(found, SHOWN)}`] : [];
}

/** The change of an entry, as far as it is known. */
export interface Changed {
  readonly paths: readonly string[];
  readonly found: readonly ContentIssue[];
}

/** Further command lines and files that judge work or run, beside the configuration. */
export interface Beside {
  /** Tasks' own checks. */
  readonly checks: readonly string[];
  /** The folder inside the repository that git runs hooks from. */
  readonly hooks?: string | undefined;
}

type Judging = Pick<Config, 'checks' | 'queue' | 'race' | 'prompt'>;

const NOTHING: Beside = { checks: [] };

/** Changes of files that run elsewhere or judge the work: CI, hooks, files of the checks, scripts of packages. */
function delicate(config: Judging, { paths, found }: Changed, { checks, hooks }: Beside): string[] {
  const files = delicateIn({ checks: judgingFiles(config, checks), hooks }, paths);
  return [...files, ...found.filter((one) => one.is === 'scripts').map(issueText)];
}

/** An agent's work that changes such files waits for a yes, whatever `approve` says. People have seen their own branch themselves. */
export function defaultRule(config: Judging & Pick<Config, 'approve_defaults'>, by: Submitter, changed: Changed, beside: Beside): string[] {
  if (by !== 'agent' || !config.approve_defaults) return [];
  const found = delicate(config, changed, beside);
  return found.length > 0 ? [`approve_defaults: for ${named(found, SHOWN)}`] : [];
}

/** Reports such changes that land without a yes, and changed instructions for agents. */
export function reportedIn(config: Rules, row: Row, beside = NOTHING): string[] {
  const changed = changedBy(row);
  const { by } = askedAtSubmit(row);
  const asked = by === 'agent' && config.approve_defaults;
  return by === 'furrow' ? [] : [...(asked ? [] : delicate(config, changed, beside)), ...proseIn(changed.paths)];
}

function changedBy(row: Pick<Row, 'agent' | 'land' | 'paths'>): Changed {
  return { paths: row.paths === null ? [] : (JSON.parse(row.paths) as string[]), found: askedAtSubmit(row).found ?? [] };
}

/** The rules of each row, as long as nothing that they come from was read anew. */
const known = new WeakMap<Row, { readonly config: Rules; readonly task: TaskLand | undefined; readonly rules: readonly string[] }>();

/**
 * Every rule that asks for a person's yes: those from the time of the submit, and those that came into force since. Rows are never changed,
 * so the answer for the same ones is kept: each look at the queue asks three times about every entry, an eighth of a look that finds nothing.
 */
export function rulesFor(config: Rules, row: Row, task: TaskLand | undefined): readonly string[] {
  const before = known.get(row);
  if (before && before.config === config && before.task === task) return before.rules;
  const rules = findRules(config, row, task);
  known.set(row, { config, task, rules });
  return rules;
}

function findRules(config: Rules, row: Row, task: TaskLand | undefined): readonly string[] {
  const { by, rules } = askedAtSubmit(row);
  const changed = changedBy(row);
  return [
    ...new Set([
      ...rules,
      ...landRule(config, by, task, row.task),
      ...pathRule(config, changed.paths),
      ...defaultRule(config, by, changed, { checks: task?.check ? [task.check] : [] }),
      ...(by === 'furrow' ? [] : contentRule(changed.found, config.screen.allow)),
    ]),
  ];
}

export const awaitsYes = (config: Rules, row: Row, task: TaskLand | undefined) =>
  row.approved === null && rulesFor(config, row, task).length > 0;

/** True while the change is not read yet: before that it may not be stacked, because a part of it may need a yes. */
export const isUnread = (row: Pick<Row, 'agent' | 'land' | 'paths' | 'approved'>) =>
  row.approved === null && (row.paths === null || askedAtSubmit(row).found === undefined);
