import type { Selectable } from 'kysely';
import type { Config } from '../../config/schema.ts';
import { askedAtSubmit, type Submitter } from '../../entry/submitted.ts';
import type { EntryRow } from '../../journal/rows/entry.ts';
import type { TaskRow } from '../../journal/rows/task.ts';
import { matchesAny } from '../../platform/glob.ts';
import { splitRef } from '../../task/id.ts';

type Rules = Pick<Config, 'land' | 'approve' | 'phases'>;
type TaskLand = Pick<Selectable<TaskRow>, 'id' | 'phase' | 'land'>;
type Row = Pick<Selectable<EntryRow>, 'agent' | 'land' | 'approved' | 'paths' | 'task'>;

/** The rules of the configuration and the task that ask for a person's yes. The most specific `land` decides: the task's, else the phase's, else the farm's. */
export function landRule(config: Rules, by: Submitter, task: TaskLand | undefined, ref: string): string[] {
  if (by !== 'agent') return [];
  const phase = task?.phase ?? splitRef(ref)?.phase ?? '';
  const ofPhase = config.phases[phase]?.land;
  if (task?.land) return task.land === 'approve' ? [`land: approve of task ${task.id}`] : [];
  if (ofPhase) return ofPhase === 'approve' ? [`land: approve of phase ${phase}`] : [];
  return config.land === 'approve' ? ['land: approve in furrow.yaml'] : [];
}

const SHOWN = 3;

/** `approve:` asks for a yes to whoever changes one of its paths. */
export function pathRule({ approve }: Pick<Config, 'approve'>, paths: readonly string[]): string[] {
  const found = approve.length === 0 ? [] : paths.filter((path) => matchesAny(path, approve));
  const more = found.length > SHOWN ? ` and ${found.length - SHOWN} more` : '';
  return found.length > 0 ? [`approve: for ${found.slice(0, SHOWN).join(', ')}${more}`] : [];
}

/** All that asks for a person's yes: the rules of the time when it was submitted, and those that came into force since. */
export function rulesFor(config: Rules, row: Row, task: TaskLand | undefined): readonly string[] {
  const { by, rules } = askedAtSubmit(row);
  const paths = row.paths === null ? [] : pathRule(config, JSON.parse(row.paths) as string[]);
  return [...new Set([...rules, ...landRule(config, by, task, row.task), ...paths])];
}

export const awaitsYes = (config: Rules, row: Row, task: TaskLand | undefined) =>
  row.approved === null && rulesFor(config, row, task).length > 0;

/** Its changed paths have to be known before it may be stacked: one of them may need a yes. */
export const isUnread = ({ approve }: Pick<Config, 'approve'>, row: Pick<Row, 'paths' | 'approved'>) =>
  approve.length > 0 && row.paths === null && row.approved === null;
