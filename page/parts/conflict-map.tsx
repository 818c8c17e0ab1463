import { type KeyboardEvent, useRef, useState } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { heat, type Matrix } from '../../src/tell/face/matrix.ts';
import { useTaskName } from './task-name.tsx';

const STEPS = 4;

interface Chosen {
  readonly row: number;
  /** -1: the target. */
  readonly column: number;
}

/** The first pair that conflicts, with the target or with another task. */
function firstOf({ rows }: Matrix): Chosen {
  const own = rows.findIndex(({ withTarget }) => withTarget.length > 0);
  if (own >= 0) return { row: own, column: -1 };
  return { row: 0, column: rows[0]?.cells.findIndex((cell) => (cell?.length ?? 0) > 0) ?? -1 };
}

/** The heat map: a table whose cells have a colour and a number. Arrow keys walk through it, and what is chosen is told below. */
export function ConflictMap({ matrix, target }: { readonly matrix: Matrix; readonly target: string }) {
  const [{ row, column }, choose] = useState<Chosen>(() => firstOf(matrix));
  const place = useRef<HTMLTableElement>(null);
  const { tasks, rows, most } = matrix;
  const at = { row: Math.min(row, rows.length - 1), column: Math.min(column, tasks.length - 1) };
  const move = (event: KeyboardEvent) => {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by) return;
    event.preventDefault();
    const [down, right] = by as [number, number];
    let to = { row: at.row + down, column: at.column + right };
    // A task cannot conflict with itself.
    if (to.row === to.column) to = { row: to.row + down, column: to.column + right };
    if (to.row < 0 || to.row >= rows.length || to.column < -1 || to.column >= tasks.length) return;
    choose(to);
    place.current?.querySelector<HTMLElement>(`[data-cell="${to.row} ${to.column}"]`)?.focus();
  };
  const name = useTaskName();
  const pathsAt = (of: Chosen) => (of.column < 0 ? rows[of.row]!.withTarget : rows[of.row]!.cells[of.column]);
  const nameAt = (of: Chosen) => `${visible(tasks[of.row]!)} with ${of.column < 0 ? visible(target) : visible(tasks[of.column]!)}`;
  const paths = pathsAt(at);
  const cell = (of: Chosen) => {
    const count = pathsAt(of)?.length;
    if (count === undefined) return <td key={of.column} className="self" />;
    const words = `${nameAt(of)}: ${count === 0 ? 'no conflict' : `${count} ${count === 1 ? 'path' : 'paths'}`}`;
    const chosen = of.row === at.row && of.column === at.column;
    return (
      <td key={of.column} className={`heat-${heat(count, most, STEPS)}`}>
        <button
          type="button"
          data-cell={`${of.row} ${of.column}`}
          tabIndex={chosen ? 0 : -1}
          aria-pressed={chosen}
          aria-label={words}
          title={words}
          onClick={() => choose(of)}
        >
          {count === 0 ? '·' : count}
        </button>
      </td>
    );
  };
  return (
    <>
      <div className="scroll">
        <table ref={place} className="heat" aria-label="Conflicts between tasks" onKeyDown={move}>
          <thead>
            <tr>
              <th scope="col">Task</th>
              <th scope="col">{visible(target)}</th>
              {tasks.map((task) => (
                <th key={task} scope="col" title={name(task)}>
                  {visible(task)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((one, n) => (
              <tr key={one.task}>
                <th scope="row" title={name(one.task)}>
                  {visible(one.task)}
                </th>
                {[-1, ...tasks.keys()].map((to) => cell({ row: n, column: to }))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <section aria-live="polite" aria-label="The chosen pair">
        <h2>{`${name(tasks[at.row]!)} with ${at.column < 0 ? visible(target) : name(tasks[at.column]!)}`}</h2>
        {paths == null || paths.length === 0 ? (
          <p className="muted">They do not conflict.</p>
        ) : (
          <ul className="mono">
            {paths.map((path) => (
              <li key={path}>{visible(path)}</li>
            ))}
          </ul>
        )}
      </section>
    </>
  );
}
