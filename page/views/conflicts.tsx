import { useMemo } from 'react';
import { visible } from '../../src/platform/visible.ts';
import { matrixOf } from '../../src/tell/face/matrix.ts';
import { useCall, useEvents, useView } from '../link/use-farm.ts';
import { ConflictMap } from '../parts/conflict-map.tsx';
import { Table } from '../parts/table.tsx';
import { TaskLink, useTaskName } from '../parts/task-name.tsx';
import { useKeys } from '../shell/keys.ts';
import '../style/conflicts.css';

/** Events after which the conflicts may differ. Between them work in hand changes all the time, and a person asks by a key. */
const TELLING = new Set(['conflict.predicted', 'attempt.ended', 'entry.submitted', 'landing.landed', 'attempt.started']);

/** Work in hand that would not merge: with each other, and with the target. */
export function Conflicts() {
  const events = useEvents();
  const target = useView((view) => view.status.target);
  const last = useMemo(() => events.findLast(({ kind }) => TELLING.has(kind))?.seq, [events]);
  const { data, error, busy, again } = useCall('conflicts', {}, last);
  const matrix = useMemo(() => data && matrixOf(data), [data]);
  useKeys('Conflicts', [{ key: 'r', says: 'look again', run: again }]);
  return (
    <div className="stack" aria-busy={busy}>
      <header className="row">
        <h1>Conflicts</h1>
        <span className="muted">if everything landed now</span>
        <span className="grow" />
        <button type="button" onClick={again} disabled={busy} aria-keyshortcuts="r">
          <kbd>r</kbd> {busy ? 'Looking…' : 'Look again'}
        </button>
      </header>
      {error && <p className="bad">{visible(error.message)}</p>}
      {!matrix && !error && <p className="muted">Merging the work of all agents with each other…</p>}
      {matrix && matrix.tasks.length === 0 && <p className="empty">No conflicts.</p>}
      {matrix && matrix.tasks.length > 0 && (
        <>
          <section className="panel" aria-label="Heat map">
            <ConflictMap matrix={matrix} target={target} />
          </section>
          <section className="panel" aria-label="All conflicts">
            <h2>All conflicts</h2>
            <Table label="all conflicts" heads={['Task', 'With', 'Paths']}>
              {data!.with_target.map(({ task, paths }) => (
                <Pair key={task} a={task} b={target} paths={paths} />
              ))}
              {data!.pairs.map(({ a, b, paths }) => (
                <Pair key={`${a} ${b}`} a={a} b={b} paths={paths} />
              ))}
            </Table>
          </section>
        </>
      )}
    </div>
  );
}

interface PairProps {
  readonly a: string;
  readonly b: string;
  readonly paths: readonly string[];
}

function Pair({ a, b, paths }: PairProps) {
  const name = useTaskName();
  return (
    <tr>
      <td>
        <TaskLink task={a} view="changes" />
      </td>
      <td>{name(b)}</td>
      <td className="mono">{paths.map(visible).join(', ')}</td>
    </tr>
  );
}
