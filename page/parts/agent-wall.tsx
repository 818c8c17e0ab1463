import { lazy, Suspense, useRef, useState } from 'react';
import type { ListedAgent } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { kindOf } from '../../src/tell/face/states.ts';
import { useControl } from '../link/use-farm.ts';
import { go, href } from '../shell/route.ts';
import { Age } from '../shell/time.tsx';
import { AgentControls, AgentTask, type Spent } from './agent-card.tsx';
import { AgentState } from './state.tsx';
import { useWidth } from './width.ts';

const Terminal = lazy(async () => ({ default: (await import('./terminal.tsx')).AgentTerminal }));

/** A terminal of less is hard to read. */
const LEAST_WIDTH = 360;

/** So many terminals beside each other that the window is filled: as wide as high, and no row almost empty. */
export function columnsOf(count: number, width: number): number {
  const most = Math.max(1, Math.floor(width / LEAST_WIDTH));
  const wanted = Math.min(most, Math.ceil(Math.sqrt(count * 1.5)));
  return Math.max(1, Math.ceil(count / Math.ceil(count / wanted)));
}

interface WallProps {
  readonly agents: readonly ListedAgent[];
  readonly spent: ReadonlyMap<string, Spent>;
  /** The one that has the whole wall. */
  readonly zoomed: string | undefined;
  readonly fits: boolean;
}

/** Live terminals that fill the window; one of them alone when a person wants to read or type. */
export function AgentWall({ agents, spent, zoomed, fits }: WallProps) {
  const place = useRef<HTMLUListElement>(null);
  const shown = zoomed === undefined ? agents : agents.filter(({ name }) => name === zoomed);
  const columns = columnsOf(shown.length, useWidth(place));
  return (
    <ul ref={place} className="wall" data-columns={columns}>
      {shown.map((agent) => (
        <li key={agent.name}>
          <Tile agent={agent} spent={spent.get(agent.name)} isZoomed={agent.name === zoomed} fits={fits} />
        </li>
      ))}
    </ul>
  );
}

interface TileProps {
  readonly agent: ListedAgent;
  readonly spent: Spent | undefined;
  readonly isZoomed: boolean;
  readonly fits: boolean;
}

function Tile({ agent, spent, isZoomed, fits }: TileProps) {
  const control = useControl();
  const [types, setTypes] = useState(false);
  const typing = types && isZoomed;
  const { name, says, since, branch, task } = agent;
  return (
    <article className={`tile ${agent.state}`} aria-label={`agent ${visible(name)}`}>
      <header className="row">
        <a className="tile-name" href={href('agents', isZoomed ? '' : name)} title={isZoomed ? 'All terminals' : 'Only this one'}>
          {visible(name)}
        </a>
        <AgentState agent={agent} />
        <span className="tile-task">
          <span className="cut grow">
            <AgentTask agent={agent} />
          </span>
          <span className="muted">
            <Age at={since} />
          </span>
        </span>
      </header>
      {says && <p className="muted cut">{visible(says)}</p>}
      {isZoomed && (
        <div className="row">
          {control ? (
            <label className="check">
              <input type="checkbox" checked={types} onChange={(event) => setTypes(event.target.checked)} /> type into it
            </label>
          ) : (
            <span className="muted">This address is read-only: it cannot type.</span>
          )}
          {task && (
            <a className="button" href={href('changes', task)}>
              Change
            </a>
          )}
          <AgentControls agent={agent} />
          <span className="muted cut">
            {visible(kindOf(agent))}
            {spent && ` · $${spent.usd.toFixed(2)} · ${spent.tokens.toLocaleString('en-US')} tokens`}
            {branch && ` · ${visible(branch)}`}
          </span>
        </div>
      )}
      <Suspense fallback={<p className="muted">Loading…</p>}>
        <Terminal
          agent={agent}
          typing={typing}
          fits={fits && control}
          pressed={() => isZoomed || go('agents', name)}
          left={() => isZoomed && go('agents')}
        />
      </Suspense>
    </article>
  );
}
