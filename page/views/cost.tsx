import { useMemo, useState } from 'react';
import type { Out } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { type Measure, spendOf } from '../../src/tell/face/cost.ts';
import { useCall, useView } from '../link/use-farm.ts';
import { figure, SpendChart } from '../parts/spend-chart.tsx';
import { Table } from '../parts/table.tsx';
import { TaskLink } from '../parts/task-name.tsx';
import { useKeys } from '../shell/keys.ts';
import { href } from '../shell/route.ts';
import '../style/charts.css';

const STEPS = 120;
const LINES = 8;

type By = 'task' | 'agent';

/** The cost of tasks and agents, over time and in all. */
export function Cost() {
  const tokens = useView((view) => view.status.cost.tokens);
  const { data, error } = useCall('cost', {}, tokens);
  const [by, setBy] = useState<By>('task');
  const [chosen, setMeasure] = useState<Measure>();
  // Agents that tell no price have tokens only.
  const measure = chosen ?? (data && data.total.usd === 0 ? 'tokens' : 'usd');
  const spend = useMemo(() => data && spendOf(data, { by, measure, steps: STEPS, most: LINES, now: 0 }), [data, by, measure]);
  useKeys('Cost', [
    { key: 't', says: 'by task', run: () => setBy('task') },
    { key: 'a', says: 'by agent', run: () => setBy('agent') },
    { key: 'm', says: 'dollars or tokens', run: () => setMeasure(measure === 'usd' ? 'tokens' : 'usd') },
  ]);
  if (!data || !spend) return <p className={error ? 'bad' : 'empty'}>{error ? visible(error.message) : 'Asking…'}</p>;
  return (
    <div className="stack">
      <header className="row">
        <h1>Cost</h1>
        <span>
          {figure(data.total.usd, 'usd')} <span className="muted">in all,</span> {figure(data.run.usd, 'usd')}{' '}
          <span className="muted">in this run, {figure(data.total.tokens, 'tokens')} tokens</span>
        </span>
        <span className="grow" />
        <Choice label="By" of={['task', 'agent']} chosen={by} choose={setBy} />
        <Choice label="In" of={['usd', 'tokens']} chosen={measure} choose={setMeasure} />
      </header>
      {data.total.partial && <p className="warn">Some agents report tokens only; set price: for their kind in furrow.yaml.</p>}
      {spend.series.length === 0 ? <p className="empty">Nothing was used yet.</p> : <Chart spend={spend} measure={measure} />}
      {by === 'task' ? <Tasks data={data} /> : <Agents data={data} />}
    </div>
  );
}

function Chart({ spend, measure }: Parameters<typeof SpendChart>[0]) {
  return (
    <section className="panel" aria-label="Over time">
      <SpendChart spend={spend} measure={measure} />
      <p className="muted">Agents report totals: the cost of a conversation is spread evenly from its start to its last report.</p>
    </section>
  );
}

interface ChoiceProps<T extends string> {
  readonly label: string;
  readonly of: readonly T[];
  readonly chosen: T;
  readonly choose: (one: T) => void;
}

const WORDS: Readonly<Record<string, string>> = { usd: 'dollars' };

function Choice<T extends string>({ label, of, chosen, choose }: ChoiceProps<T>) {
  return (
    <fieldset className="choice">
      <legend className="hidden">{label}</legend>
      {of.map((one) => (
        <button key={one} type="button" aria-pressed={one === chosen} onClick={() => choose(one)}>
          {label.toLowerCase()} {WORDS[one] ?? one}
        </button>
      ))}
    </fieldset>
  );
}

type Figures = Out<'cost'>['total'];
const COLUMNS = ['Dollars', 'Tokens', 'In', 'Out', 'Cached'];

function Figures({ of }: { readonly of: Figures }) {
  return (
    <>
      <td className="num">{of.partial && of.usd === 0 ? '?' : figure(of.usd, 'usd')}</td>
      {[of.tokens, of.input, of.output, of.cached].map((value, at) => (
        <td key={COLUMNS[at + 1]} className="num">
          {figure(value, 'tokens')}
        </td>
      ))}
    </>
  );
}

function Tasks({ data }: { readonly data: Out<'cost'> }) {
  return (
    <section className="panel" aria-label="By task">
      <Table label="cost by task" heads={['Task', ...COLUMNS, 'Attempts', 'State']} figures={COLUMNS}>
        {data.tasks
          .toSorted((a, b) => b.usd - a.usd || b.tokens - a.tokens)
          .map((task) => (
            <tr key={`${task.phase}/${task.id}`}>
              <td>
                <TaskLink task={task.id} title={task.title} />
              </td>
              <Figures of={task} />
              <td>{task.attempts.map(({ n, agent }) => `${n} ${visible(agent)}`).join(', ')}</td>
              <td>{task.landed ? <span className="tag good">landed</span> : <span className="tag">not landed</span>}</td>
            </tr>
          ))}
      </Table>
    </section>
  );
}

function Agents({ data }: { readonly data: Out<'cost'> }) {
  return (
    <section className="panel" aria-label="By agent">
      <Table label="cost by agent" heads={['Agent', ...COLUMNS, 'Kind']} figures={COLUMNS}>
        {data.agents
          .toSorted((a, b) => b.usd - a.usd || b.tokens - a.tokens)
          .map((agent) => (
            <tr key={agent.name}>
              <td>
                <a href={href('agents', agent.name)}>{visible(agent.name)}</a>
              </td>
              <Figures of={agent} />
              <td className="muted">{visible(agent.kind)}</td>
            </tr>
          ))}
      </Table>
    </section>
  );
}
