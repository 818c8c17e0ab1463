import { Fragment, useState } from 'react';
import type { Out } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { attemptState } from '../../src/tell/face/states.ts';
import { useCall, useView } from '../link/use-farm.ts';
import { Age, span } from '../shell/time.tsx';
import { Verdict } from './verdict.tsx';

/** Each try at a task: by whom, how it ended, what it cost, and all that it and its checks printed. */
export function TaskAttempts({ task: { id, phase, attempts } }: { readonly task: Out<'show'> }) {
  const total = useView(({ status: { cost } }) => `${cost.usd} ${cost.tokens}`);
  const { data: cost } = useCall('cost', {}, total);
  const [open, setOpen] = useState<number>();
  const spent = cost?.tasks.find((one) => one.id === id && one.phase === phase);
  const spentBy = new Map(spent?.attempts.map((one) => [one.n, one]));
  return (
    <>
      {spent && (
        <p className="muted">
          {money(spent)} in {attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}
        </p>
      )}
      <div className="scroll">
        <table>
          <caption className="hidden">Attempts</caption>
          <thead>
            <tr>
              <th scope="col" className="num">
                try
              </th>
              <th scope="col">agent</th>
              <th scope="col">outcome</th>
              <th scope="col" className="num">
                took
              </th>
              <th scope="col" className="num">
                cost
              </th>
              <th scope="col">
                <span className="hidden">output</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {attempts.toReversed().map(({ n, agent, outcome, reason, summary, started, ended }) => (
              <Fragment key={n}>
                <tr>
                  <td className="num">{n}</td>
                  <td>{visible(agent)}</td>
                  <td>
                    {attemptState(outcome).word} {reason && <span className="muted">{visible(reason)}</span>}
                    {summary && <p>{summary.split('\n').map(visible).join(' ')}</p>}
                  </td>
                  <td className="num">{ended === null ? <Age at={started} /> : span(Date.parse(ended) - Date.parse(started))}</td>
                  <td className="num">{money(spentBy.get(n))}</td>
                  <td className="right">
                    <button type="button" aria-expanded={open === n} onClick={() => setOpen(open === n ? undefined : n)}>
                      Output
                    </button>
                  </td>
                </tr>
                {open === n && (
                  <tr>
                    <td colSpan={6}>
                      <Verdict subject={`${phase}/${id}`} attempt={n} when={outcome} />
                    </td>
                  </tr>
                )}
              </Fragment>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Agents without a price tell their tokens alone. */
function money(spent: { readonly usd: number; readonly tokens: number } | undefined): string {
  if (!spent) return '';
  if (spent.usd > 0) return `$${spent.usd.toFixed(2)}`;
  return spent.tokens > 0 ? `${spent.tokens.toLocaleString('en-US')} tokens` : '';
}
