import type { ListedTask, TaskState } from '../../../api/contract.ts';
import { titleOf } from '../../../tell/face/board.ts';
import { TASK_STATES } from '../../../tell/face/states.ts';
import { chosen, type Line, span, toWidth, words } from '../line.ts';
import type { Model } from '../model.ts';
import { shares } from '../share-columns.ts';
import { type Choice, type Drawn, firstShown, type Hit, type Panel, type Size } from './panel.ts';

interface Column {
  readonly state: TaskState;
  /** Not drawn while it is empty. */
  readonly hides?: true;
}

const COLUMNS: readonly Column[] = [
  { state: 'waiting', hides: true },
  { state: 'ready' },
  { state: 'leased' },
  { state: 'submitted' },
  { state: 'blocked', hides: true },
  { state: 'parked', hides: true },
  { state: 'landed' },
];

const nameOf = ({ state }: Column) => titleOf(TASK_STATES[state].word);

export const taskGlyph = (state: TaskState): ReturnType<typeof span> => span(TASK_STATES[state].glyph, TASK_STATES[state].tone);

export const refOf = ({ phase, id }: Pick<ListedTask, 'phase' | 'id'>): string => `${phase}/${id}`;

interface Filled extends Column {
  readonly tasks: readonly ListedTask[];
  /** The columns of the screen that its longest line takes. */
  readonly wants: number;
}

/** The tasks by column; several models of one view share the answer, and a view does not change. */
const filled = new WeakMap<readonly ListedTask[], readonly Filled[]>();

function columnsOf(tasks: readonly ListedTask[]): readonly Filled[] {
  const known = filled.get(tasks);
  if (known) return known;
  const made = COLUMNS.map((column) => filledBy(column, tasks)).filter((column) => !column.hides || column.tasks.length > 0);
  filled.set(tasks, made);
  return made;
}

function filledBy(column: Column, all: readonly ListedTask[]): Filled {
  const tasks = all.filter(({ state }) => state === column.state);
  const lengths = tasks.map(
    ({ id, title, state, agent }) => id.length + 1 + title.length + (state === 'leased' && agent ? agent.length + 1 : 0),
  );
  return { ...column, tasks, wants: Math.max(nameOf(column).length + String(tasks.length).length + 3, ...lengths) };
}

export const boardPanel: Panel = {
  id: 'board',
  name: 'Board',
  count: ({ view }) => `${view.tasks.filter(({ state }) => state === 'landed').length}/${boardTasks(view.tasks)}`,
  columns: ({ known }: Model) => columnsOf(known?.view.tasks ?? []).map(({ tasks }) => tasks.map(refOf)),
  draw: ({ view }, size, choice) => (boardTasks(view.tasks) === 0 ? NONE : drawColumns(columnsOf(view.tasks), size, choice)),
};

const NONE: Drawn = { lines: [[span('no tasks: furrow add "a title"', 'faint')]], hits: [] };

const boardTasks = (tasks: readonly ListedTask[]) => tasks.reduce((sum, { state }) => sum + (state === 'archived' ? 0 : 1), 0);

/** Each column scrolls by itself: only the one with the chosen task has moved. */
function drawColumns(columns: readonly Filled[], { width, height }: Size, choice: Choice): Drawn {
  const wide = widths(columns, width - (columns.length - 1));
  const room = Math.max(1, height - 1);
  const hits: Hit[] = [];
  let left = 0;
  let range = '';
  const drawn = columns.map((column, n) => {
    const at = column.tasks.findIndex((task) => refOf(task) === choice.key);
    const top = at < 0 ? 0 : firstShown(choice.top, at, room, column.tasks.length);
    const shown = column.tasks.slice(top, top + room);
    const rows = shown.map((task, row) => {
      hits.push({ row: row + 1, from: left, to: left + wide[n]!, key: refOf(task) });
      const line = toWidth(taskLine(task), wide[n]!);
      return top + row === at && choice.active ? chosen(line) : line;
    });
    const hidden = column.tasks.length - shown.length;
    if (at >= 0 && hidden > 0) range = `${nameOf(column)} ${top + 1}–${top + shown.length} of ${column.tasks.length}`;
    const title: Line = [
      span(nameOf(column), TASK_STATES[column.state].tone),
      span(` ${column.tasks.length}`, 'strong'),
      span(hidden > 0 ? ' ↕' : '', 'faint'),
    ];
    left += wide[n]! + 1;
    return [toWidth(title, wide[n]!), ...rows];
  });
  const most = Math.min(height, Math.max(...drawn.map(({ length }) => length)));
  const lines = Array.from({ length: most }, (_, row) =>
    drawn.flatMap((column, n) => [...(n > 0 ? [span(' ')] : []), ...(column[row] ?? toWidth([], wide[n]!))]),
  );
  return { lines, hits, range };
}

function taskLine(task: ListedTask): Line {
  const who = task.state === 'leased' && task.agent !== null ? [span(' '), words(task.agent, 'faint')] : [];
  return [words(task.id, 'faint'), span(' '), words(task.title), ...who];
}

/** Empty columns get their name only; the others what they need, as far as there is room. */
function widths(columns: readonly Filled[], width: number): number[] {
  const wants = columns.map((column) => (column.tasks.length === 0 ? nameOf(column).length + 2 : column.wants));
  return shares(wants, width, 6);
}
