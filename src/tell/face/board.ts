import type { ListedTask, TaskState } from '../../api/contract.ts';
import { TASK_STATES } from './states.ts';

export interface Column {
  readonly state: TaskState;
  readonly title: string;
  readonly tasks: readonly ListedTask[];
}

/** The archive is no column. */
const SHOWN: readonly TaskState[] = ['waiting', 'ready', 'leased', 'submitted', 'blocked', 'parked', 'landed'];

/** A word as a title: `In queue`. */
export const titleOf = (word: string): string => `${word[0]!.toUpperCase()}${word.slice(1)}`;

/** The priorities of a board that says nothing else, the most urgent first. */
const USUAL = ['critical', 'high', 'medium', 'low'];

/** The priorities that a board uses, the most urgent first; words of its own go last. */
export function prioritiesOf(tasks: readonly Pick<ListedTask, 'priority'>[]): string[] {
  const own = new Set(tasks.map(({ priority }) => priority));
  return [...USUAL, ...[...own].filter((one) => !USUAL.includes(one)).sort()];
}

/** The board by state: what is urgent comes first, of what landed the newest. */
export function columnsOf(tasks: readonly ListedTask[]): Column[] {
  const rank = new Map(prioritiesOf(tasks).map((priority, at) => [priority, at]));
  const byState = Map.groupBy(tasks, ({ state }) => state);
  return SHOWN.map((state) => {
    const own = byState.get(state) ?? [];
    const sorted = state === 'landed' ? own.toReversed() : own.toSorted((a, b) => rank.get(a.priority)! - rank.get(b.priority)!);
    return { state, title: titleOf(TASK_STATES[state].word), tasks: sorted };
  });
}
