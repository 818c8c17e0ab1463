import { visible } from '../../src/platform/visible.ts';
import { useCall, useView } from '../link/use-farm.ts';
import { href } from '../shell/route.ts';
import { span } from '../shell/time.tsx';
import { Table } from './table.tsx';

const FIGURES = ['Runs', 'Red', 'Flaky', 'Could not run', 'Usually', 'Longest'];

/** The record of the checks: how often each passed and failed on the same tree. */
export function Flakes() {
  const landings = useView((view) => view.landings.length);
  const { data, error } = useCall('flakes', {}, landings);
  return (
    <section className="panel" aria-label="Record of the checks">
      <div className="row">
        <h2 className="grow">Record of the checks</h2>
        <a className="button" href={href('queue')}>
          Close
        </a>
      </div>
      {!data && <p className={error ? 'bad' : 'muted'}>{error ? visible(error.message) : 'Asking…'}</p>}
      {data?.checks.length === 0 && <p className="muted">No check has run yet.</p>}
      {data && data.checks.length > 0 && (
        <Table label="record of the checks" heads={['Check', ...FIGURES]} figures={FIGURES}>
          {data.checks.map((one) => (
            <tr key={one.name}>
              <td>
                <a href={href('queue', one.name)}>{visible(one.name)}</a>
              </td>
              <td className="num">{one.runs}</td>
              <td className="num">{one.fails}</td>
              <td className={one.flakes > 0 ? 'num warn' : 'num'}>
                {one.flakes} ({(one.rate * 100).toFixed(1)} %)
              </td>
              <td className="num">{one.errors}</td>
              <td className="num">{span(one.usual_ms)}</td>
              <td className="num">{span(one.longest_ms)}</td>
            </tr>
          ))}
        </Table>
      )}
    </section>
  );
}
