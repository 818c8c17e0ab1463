import { lazy, Suspense, useEffect, useMemo, useState } from 'react';
import type { ListedAgent } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { kindOf } from '../../src/tell/face/states.ts';
import { useCall, useControl, useView } from '../link/use-farm.ts';
import { FarmControls } from '../parts/farm-controls.tsx';
import { AgentState } from '../parts/state.tsx';
import { useAct } from '../shell/act.ts';
import { useKeys } from '../shell/keys.ts';
import { href, type ViewProps } from '../shell/route.ts';
import { Age } from '../shell/time.tsx';
import '../style/agents.css';

const Terminal = lazy(async () => ({ default: (await import('../parts/terminal.tsx')).AgentTerminal }));
const KEPT = 'furrow.terminals';

/** Every agent: its state, its cost and its terminal. The address may name one, whose terminal is opened. */
export function Agents({ rest }: ViewProps) {
  const agents = useView((view) => view.agents);
  const spent = useView(({ status: { cost } }) => `${cost.usd} ${cost.tokens}`);
  const { data: cost } = useCall('cost', {}, spent);
  const { open, toggle } = useOpen(rest);
  useKeys('Agents', [
    {
      key: 't',
      says: 'terminals of all working agents',
      run: () => toggle(agents.filter(({ task }) => task !== null).map(({ name }) => name)),
    },
    { key: 'x', says: 'close all terminals', run: () => toggle([]) },
  ]);
  // Terminals come first, and so stand side by side.
  const shown = useMemo(() => agents.toSorted((a, b) => Number(open.includes(b.name)) - Number(open.includes(a.name))), [agents, open]);
  const costs = new Map(cost?.agents.map((one) => [one.name, one]));
  return (
    <>
      <header className="row agents-head">
        <h1>Agents</h1>
        <span className="muted">{agents.length === 0 ? 'none yet' : agents.length}</span>
        <span className="grow" />
        <FarmControls />
      </header>
      <ul className="agents">
        {shown.map((agent) => (
          <li key={agent.name} className={open.includes(agent.name) ? 'agent open' : 'agent'} id={`agent-${agent.name}`}>
            <AgentPanel
              agent={agent}
              usd={costs.get(agent.name)?.usd}
              tokens={costs.get(agent.name)?.tokens}
              open={open.includes(agent.name)}
              toggle={() => toggle(open.includes(agent.name) ? open.filter((one) => one !== agent.name) : [...open, agent.name])}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

/** Terminals that are open stay so after a reload of the page. */
function useOpen(named: string) {
  const [open, setOpen] = useState<readonly string[]>(() => (sessionStorage.getItem(KEPT) ?? '').split(' ').filter(Boolean));
  const toggle = (next: readonly string[]) => {
    sessionStorage.setItem(KEPT, next.join(' '));
    setOpen(next);
  };
  useEffect(() => {
    if (named === '') return;
    setOpen((old) => (old.includes(named) ? old : [...old, named]));
    document.getElementById(`agent-${named}`)?.scrollIntoView({ block: 'nearest' });
  }, [named]);
  return { open, toggle };
}

interface PanelProps {
  readonly agent: ListedAgent;
  readonly usd: number | undefined;
  readonly tokens: number | undefined;
  readonly open: boolean;
  readonly toggle: () => void;
}

function AgentPanel({ agent, usd, tokens, open, toggle }: PanelProps) {
  const { name, task, title, attempt, branch, says, since } = agent;
  return (
    <article className="panel" aria-label={`agent ${visible(name)}`}>
      <header className="row">
        <strong>{visible(name)}</strong>
        <span className="muted">{visible(kindOf(agent))}</span>
        <AgentState agent={agent} />
        <span className="grow" />
        <span className="muted">
          <Age at={since} />
        </span>
      </header>
      <p className="cut">
        {task ? (
          <>
            <a href={href('board', task)}>{visible(task)}</a> {visible(title ?? '')}
            {attempt !== null && attempt > 1 && <span className="muted"> try {attempt}</span>}
          </>
        ) : (
          <span className="muted">no task</span>
        )}
      </p>
      {says && <p className="muted">{visible(says)}</p>}
      <p className="muted cut">
        {usd !== undefined && `$${usd.toFixed(2)} · ${tokens?.toLocaleString('en-US')} tokens`}
        {usd !== undefined && branch && ' · '}
        {branch && <code>{visible(branch)}</code>}
      </p>
      <div className="row">
        <button type="button" aria-expanded={open} onClick={toggle}>
          Terminal
        </button>
        {task && (
          <a className="button" href={href('changes', task)}>
            Change
          </a>
        )}
        <Controls agent={agent} />
      </div>
      {open && (
        <Suspense fallback={<p className="muted">Loading…</p>}>
          <Terminal agent={name} />
        </Suspense>
      )}
    </article>
  );
}

function Controls({ agent: { name, paused, state, task } }: Pick<PanelProps, 'agent'>) {
  const control = useControl();
  const act = useAct();
  const [sure, setSure] = useState(false);
  if (!control) return null;
  return (
    <>
      <button
        type="button"
        onClick={() => void act(paused ? 'resume' : 'pause', { agent: name }, `${name} ${paused ? 'goes on' : 'is paused'}.`)}
      >
        {paused ? 'Resume' : 'Pause'}
      </button>
      {state !== 'stopped' && (
        <button
          type="button"
          className={sure ? 'bad' : undefined}
          onBlur={() => setSure(false)}
          onClick={() => {
            setSure(!sure);
            if (sure) void act('stop', { agent: name }, `${name} is stopped.`);
          }}
        >
          {sure ? 'Stop it now?' : 'Stop'}
        </button>
      )}
      {task && (state === 'dead' || state === 'stopped') && (
        <button type="button" onClick={() => void act('retry', { task }, `${task} is tried again.`)}>
          Retry
        </button>
      )}
    </>
  );
}
