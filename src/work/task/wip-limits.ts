import type { Purpose } from '../../journal/rows/task.ts';
import type { BoardConfig } from './board-config.ts';
import { isHeldByPerson, isSatisfied, type Placed } from './derive.ts';

export type WipLimits = Pick<BoardConfig, 'wip' | 'classWip'>;

interface Counted extends Placed {
  readonly class: string;
  readonly purpose: Purpose;
}

/** The free places that the limits of a board leave. */
interface Places<T> {
  /** The limit that keeps the task from starting; `undefined` when none does. */
  full(task: T): string | undefined;
  /** The task starts: it takes a place from those after it. */
  take(task: T): void;
}

const none: Places<unknown> = { full: () => undefined, take: () => {} };

/**
 * Counts the tasks under way against `wip_limits` and the limits of classes. A start fills `in-progress` and later `review`, so a full
 * `review` also keeps tasks from starting. Unlike in kanban-md, finished tasks of a class do not count: one finished `expedite` task would
 * block every later one. `counts` chooses what to count, by default everything under way.
 */
export function openPlaces<T extends Counted>(
  { tasks, wip }: { readonly tasks: readonly T[]; readonly wip?: ReadonlyMap<string, WipLimits> },
  counts: (task: T) => boolean = () => true,
): Places<T> {
  if (!wip || wip.size === 0) return none;
  const counted = new Map<string, number>();
  const of = (key: string) => counted.get(key) ?? 0;
  const add = (task: T, column: string) => {
    for (const key of [`${task.phase} column ${column}`, `${task.phase} class ${task.class}`]) counted.set(key, of(key) + 1);
  };
  for (const task of tasks) {
    const column = wip.has(task.phase) && task.purpose === 'work' && counts(task) ? columnOf(task) : undefined;
    if (column) add(task, column);
  }
  return {
    full(task) {
      // An errand is in no column.
      if (task.purpose !== 'work') return undefined;
      const limits = wip.get(task.phase);
      const own = limits?.classWip[task.class];
      if (own && of(`${task.phase} class ${task.class}`) >= own.limit) return `class ${task.class} is full (${own.limit})`;
      if (!limits || own?.bypass) return undefined;
      const column = ['in-progress', 'review'].find(
        (name) => of(`${task.phase} column ${name}`) >= (limits.wip[name] ?? Number.POSITIVE_INFINITY),
      );
      return column && `column ${column} is full (${limits.wip[column]})`;
    },
    take: (task) => (task.purpose === 'work' ? add(task, 'in-progress') : undefined),
  };
}

/** The column that a task under way is in, or is about to be written into. */
function columnOf(task: Placed): string | undefined {
  if (task.standing === 'leased') return 'in-progress';
  if (task.standing === 'submitted') return 'review';
  return isHeldByPerson(task) && !isSatisfied(task) ? task.status : undefined;
}
