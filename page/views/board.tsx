import { useDeferredValue, useMemo, useState } from 'react';
import type { TaskState } from '../../src/api/contract.ts';
import { columnsOf, prioritiesOf } from '../../src/tell/face/board.ts';
import { taskName } from '../../src/tell/face/subject-names.ts';
import { useControl, useView } from '../link/use-farm.ts';
import { BoardColumn } from '../parts/board-column.tsx';
import { FarmControls } from '../parts/farm-controls.tsx';
import { NewTask, TaskDialog } from '../parts/task-dialog.tsx';
import { TaskGraph } from '../parts/task-graph.tsx';
import { useAct } from '../shell/act.ts';
import { useKeys } from '../shell/keys.ts';
import { go, type ViewProps } from '../shell/route.ts';
import '../style/board.css';

/** All tasks, by state or as a picture of what waits for what. The address names the task that is open, `graph`, or `new`. */
export function Board({ rest }: ViewProps) {
  const tasks = useView((view) => view.tasks);
  const control = useControl();
  const act = useAct();
  const [words, setWords] = useState('');
  const [dragging, setDragging] = useState(false);
  const [adding, setAdding] = useState(false);
  const filter = useDeferredValue(words.toLowerCase());
  const graph = rest === 'graph';
  const shown = useMemo(
    () => (filter === '' ? tasks : tasks.filter(({ id, title, agent }) => `${id} ${title} ${agent ?? ''}`.toLowerCase().includes(filter))),
    [tasks, filter],
  );
  const columns = useMemo(() => columnsOf(shown), [shown]);
  const priorities = useMemo(() => prioritiesOf(tasks), [tasks]);
  const prioritise = (task: string, priority: string) => {
    const before = tasks.find(({ id }) => id === task);
    if (control && before && before.priority !== priority) void act('edit', { task, priority }, `${task}: ${priority}`);
  };
  const tryAgain = (task: string) =>
    void act('retry', { task }, `${taskName(task, tasks.find(({ id }) => id === task)?.title)} is tried again.`);
  /** A task that failed too often and is dropped where tasks are ready is tried again; others get the priority of the place. */
  const drop = (task: string, column: TaskState, priority: string | undefined) => {
    const { state } = tasks.find(({ id }) => id === task) ?? {};
    if (state === 'parked') return column === 'ready' ? tryAgain(task) : undefined;
    if (priority !== undefined) prioritise(task, priority);
  };
  const open = !graph && rest !== '' ? tasks.find(({ id, phase }) => id === rest || `${phase}/${id}` === rest) : undefined;
  const closeNew = () => {
    setAdding(false);
    if (rest === 'new') go('board');
  };
  useKeys('Board', [
    { key: 'v', says: 'columns or graph', run: () => go('board', graph ? '' : 'graph') },
    ...(control ? [{ key: 'n', says: 'a new task', run: () => setAdding(true) }] : []),
    // The graph has keys of its own.
    ...(graph
      ? []
      : [
          { key: 'ArrowDown', says: 'the task below (on a task)', run: () => step(1) },
          { key: 'ArrowUp', says: 'the task above', run: () => step(-1) },
        ]),
    ...(control && !graph
      ? [
          { key: '+', says: 'more urgent (on a task)', run: () => shift(priorities, -1, prioritise) },
          { key: '-', says: 'less urgent', run: () => shift(priorities, 1, prioritise) },
          { key: 'r', says: 'try again (on a parked task)', run: () => withParked(tryAgain) },
        ]
      : []),
  ]);
  return (
    <>
      <header className="row board-head">
        <h1>Board</h1>
        <input
          type="search"
          aria-label="Filter tasks"
          placeholder="Filter"
          value={words}
          onChange={(event) => setWords(event.target.value)}
        />
        <span className="grow" />
        <button type="button" aria-pressed={graph} onClick={() => go('board', graph ? '' : 'graph')}>
          Graph
        </button>
        {control && (
          <button type="button" className="main" onClick={() => setAdding(true)}>
            New task
          </button>
        )}
        <FarmControls />
      </header>
      {graph ? (
        <TaskGraph tasks={shown} />
      ) : (
        <div className={dragging ? 'columns dragging' : 'columns'}>
          {columns.map((column) => (
            <BoardColumn key={column.state} column={column} priorities={priorities} drop={control ? drop : undefined} drag={setDragging} />
          ))}
        </div>
      )}
      {(adding || (control && rest === 'new' && !open)) && <NewTask priorities={priorities} close={closeNew} />}
      {open && <TaskDialog key={`${open.phase}/${open.id}`} task={open} priorities={priorities} close={() => go('board')} />}
    </>
  );
}

const focused = () => document.activeElement?.closest<HTMLElement>('[data-task]') ?? undefined;

function withParked(run: (task: string) => void): void {
  const { task, state } = focused()?.dataset ?? {};
  if (task && state === 'parked') run(task);
}

/** Moves the focus in the column, from task to task. */
function step(by: number): void {
  const all = [...document.querySelectorAll<HTMLElement>('[data-task]')];
  const at = focused();
  const to = at ? all[all.indexOf(at) + by] : all[0];
  to?.querySelector('a')?.focus();
}

/** A task of the highest priority stays where it is. */
function shift(priorities: readonly string[], by: number, prioritise: (task: string, priority: string) => void): void {
  const { task, priority } = focused()?.dataset ?? {};
  const next = priorities[priorities.indexOf(priority ?? '') + by];
  if (task && next) prioritise(task, next);
}
