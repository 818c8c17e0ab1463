import { visible } from '../../src/platform/visible.ts';
import { useCall, useView } from '../link/use-farm.ts';
import { href } from '../shell/route.ts';
import { span } from '../shell/time.tsx';
import { Scroll } from './scroll.tsx';

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
        <Scroll label="Table: record of the checks">
          <table>
            <thead>
              <tr>
                <th scope="col">Check</th>
                <th scope="col" className="num">
                  Runs
                </th>
                <th scope="col" className="num">
                  Red
                </th>
                <th scope="col" className="num">
                  Flaky
                </th>
                <th scope="col" className="num">
                  Could not run
                </th>
                <th scope="col" className="num">
                  Usually
                </th>
                <th scope="col" className="num">
                  Longest
                </th>
              </tr>
            </thead>
            <tbody>
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
            </tbody>
          </table>
        </Scroll>
      )}
    </section>
  );
}
