import { type DragEvent, memo, useState } from 'react';
import type { ListedTask, TaskState } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import type { Column } from '../../src/tell/face/board.ts';
import { withoutAsides } from '../../src/tell/face/subject-names.ts';
import { href } from '../shell/route.ts';
import { taskClass } from './state.tsx';

interface ColumnProps {
  readonly column: Column;
  readonly priorities: readonly string[];
  /** Left out when this page may change nothing. */
  readonly drop: ((task: string, column: TaskState, priority: string | undefined) => void) | undefined;
  /** A task is being dragged, or no more. */
  readonly drag: (on: boolean) => void;
}

/** More than these are drawn after a press: nobody reads 500 landed tasks, and a phone would draw them. */
const MOST = 60;
const DRAGGED = 'text/plain';
/** Tasks whose turn is still to come: only for these a priority means anything. */
const TO_COME: ReadonlySet<string> = new Set(['waiting', 'ready']);
/** Of a parked task it means another try, in the column of what is ready. */
const MOVES: ReadonlySet<string> = new Set([...TO_COME, 'parked']);

export function BoardColumn({ column: { state, title, tasks }, priorities, drop, drag }: ColumnProps) {
  const [all, setAll] = useState(false);
  const [over, setOver] = useState<string>();
  const shown = all ? tasks : tasks.slice(0, MOST);
  const sorts = TO_COME.has(state);
  const groups = sorts ? priorities : [''];
  const takes = (priority: string | undefined) => ({
    onDragOver: (event: DragEvent) => {
      if (!drop) return;
      event.preventDefault();
      event.stopPropagation();
      setOver(priority ?? '');
    },
    onDragLeave: () => setOver(undefined),
    onDrop: (event: DragEvent) => {
      event.preventDefault();
      event.stopPropagation();
      setOver(undefined);
      drag(false);
      drop?.(event.dataTransfer.getData(DRAGGED), state, priority);
    },
  });
  return (
    <section
      className={`column${tasks.length === 0 ? ' bare' : ''}${over === '' ? ' over' : ''}`}
      aria-label={title}
      {...(state === 'ready' ? takes(undefined) : {})}
    >
      <h2>
        {title} <span className="muted">{tasks.length}</span>
      </h2>
      {groups.map((priority) => {
        const own = sorts ? shown.filter((task) => task.priority === priority) : shown;
        return (
          // The keys +, - and r do the same as dragging.
          <div
            key={priority}
            className={`group${over === priority && sorts ? ' over' : ''}${own.length === 0 ? ' bare' : ''}`}
            {...(sorts ? takes(priority) : {})}
          >
            {sorts && <h3>{priority}</h3>}
            <ul>
              {own.map((task) => (
                <TaskItem key={`${task.phase}/${task.id}`} task={task} draggable={MOVES.has(state) && drop !== undefined} drag={drag} />
              ))}
            </ul>
          </div>
        );
      })}
      {shown.length < tasks.length && (
        <button type="button" className="quiet" onClick={() => setAll(true)}>
          {tasks.length - shown.length} more
        </button>
      )}
    </section>
  );
}

interface ItemProps extends Pick<ColumnProps, 'drag'> {
  readonly task: ListedTask;
  readonly draggable: boolean;
}

/** Drawn again only when its task is another object, which it is when something about it changed. */
const TaskItem = memo(({ task, draggable, drag }: ItemProps) => {
  const { id, title, state, priority, agent, attempt, reason, depends_on: after } = task;
  return (
    <li
      className={`task ${taskClass(state)}`}
      data-task={id}
      data-priority={priority}
      data-state={state}
      draggable={draggable}
      onDragStart={(event) => {
        event.dataTransfer.setData(DRAGGED, id);
        // A frame later: a browser ends a drag whose page changes at its very start.
        requestAnimationFrame(() => drag(true));
      }}
      onDragEnd={() => drag(false)}
    >
      <a href={href('board', id)} draggable={false}>
        <span className="muted mono">{visible(id)}</span> {visible(title)}
      </a>
      {(agent || attempt > 1) && (
        <p className="muted">
          {agent && visible(agent)}
          {attempt > 1 && ` try ${attempt}`}
        </p>
      )}
      {state === 'waiting' && after.length > 0 && <p className="muted">after {after.map(visible).join(', ')}</p>}
      {reason && state !== 'waiting' && state !== 'ready' && (
        <p className={state === 'parked' ? 'bad' : 'muted'}>{visible(withoutAsides(reason))}</p>
      )}
    </li>
  );
});
