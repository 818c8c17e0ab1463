import { useMemo, useRef } from 'react';
import type { ListedAgent } from '../../src/api/contract.ts';
import { useCall, useControl, useView } from '../link/use-farm.ts';
import { AgentCard } from '../parts/agent-card.tsx';
import { AgentWall } from '../parts/agent-wall.tsx';
import { FarmControls } from '../parts/farm-controls.tsx';
import { useFits, useKept } from '../shell/kept.ts';
import { useKeys } from '../shell/keys.ts';
import { go, type ViewProps } from '../shell/route.ts';
import '../style/agents.css';

/** Those at work as a wall of live terminals, the others as cards. The address may name one, whose terminal is shown alone. */
export function Agents({ rest }: ViewProps) {
  const agents = useView((view) => view.agents);
  const control = useControl();
  const total = useView(({ status: { cost } }) => `${cost.usd} ${cost.tokens}`);
  const { data: cost } = useCall('cost', {}, total);
  const spent = useMemo(() => new Map(cost?.agents.map((one) => [one.name, one])), [cost]);
  const [shows, setShows] = useKept('furrow.terminals', true);
  const [fits, setFits] = useFits();
  const zoomed = agents.find(({ name }) => name === rest)?.name;
  const isLive = useLive(agents);
  const live = shows || zoomed !== undefined ? agents.filter(({ name }) => isLive(name) || name === zoomed) : [];
  const others = zoomed === undefined ? agents.filter((one) => !live.includes(one)) : [];
  const step = (by: number) => {
    const at = live.findIndex(({ name }) => name === zoomed);
    const to = live[at < 0 ? 0 : (at + by + live.length) % live.length];
    if (to) go('agents', to.name);
  };
  useKeys('Agents', [
    { key: 't', says: 'show or hide the terminals', run: () => setShows(!shows) },
    { key: ']', says: 'only the next terminal', run: () => step(1) },
    { key: '[', says: 'only the terminal before', run: () => step(-1) },
    ...(zoomed === undefined ? [] : [{ key: 'Escape', says: 'all terminals', run: () => go('agents') }]),
  ]);
  return (
    <>
      <header className="row agents-head">
        <h1>Agents</h1>
        <span className="muted">{agents.length === 0 ? 'none at work' : agents.length}</span>
        <span className="grow" />
        {control && live.length > 0 && (
          <label className="check" title="The window of an agent takes the size that it has here, while you look">
            <input type="checkbox" checked={fits} onChange={(event) => setFits(event.target.checked)} /> fit windows
          </label>
        )}
        {zoomed !== undefined && (
          <button type="button" onClick={() => go('agents')}>
            All agents
          </button>
        )}
        {zoomed === undefined && agents.length > 0 && (
          <button type="button" aria-pressed={shows} onClick={() => setShows(!shows)} aria-keyshortcuts="t">
            Terminals
          </button>
        )}
        <FarmControls />
      </header>
      {live.length > 0 && <AgentWall agents={live} spent={spent} zoomed={zoomed} fits={fits} />}
      {others.length > 0 && (
        <ul className="agents" aria-label="Agents without a terminal here">
          {others.map((agent) => (
            <li key={agent.name}>
              <AgentCard agent={agent} spent={spent.get(agent.name)} />
            </li>
          ))}
        </ul>
      )}
    </>
  );
}

/** Of one that is stopped and has no task there is nothing to see; one that stops while a person looks keeps its place. */
function useLive(agents: readonly ListedAgent[]): (name: string) => boolean {
  const seen = useRef(new Set<string>());
  for (const { name, state, task } of agents) if (task !== null || state !== 'stopped') seen.current.add(name);
  return (name) => seen.current.has(name);
}
