import { useMemo } from 'react';
import type { FarmEvent } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { stackOf } from '../../src/tell/face/stack.ts';
import { reasonWithoutCommands } from '../../src/tell/face/subject-names.ts';
import { summaryOf, summaryParts } from '../../src/tell/face/summary.ts';
import { useEvents, useView } from '../link/use-farm.ts';
import { Attention } from '../parts/attention.tsx';
import { Events } from '../parts/events.tsx';
import { FarmControls, Idle } from '../parts/farm-controls.tsx';
import { AgentState, EntryState } from '../parts/state.tsx';
import { TaskLink } from '../parts/task-name.tsx';
import { href, type ViewProps } from '../shell/route.ts';
import { Age } from '../shell/time.tsx';
import '../style/overview.css';

const RECENT = 25;
/** Kinds of events that are left out: agents rest and go on all the time, and their state is in the list above. */
const CHATTER: ReadonlySet<string> = new Set(['agent.state', 'task.added', 'task.edited', 'task.removed']);

/** The page that is open all day: what needs a person first, then how the farm is. */
export function Overview({ rest }: ViewProps) {
  return (
    <div className="overview">
      <h1 className="hidden">Overview</h1>
      <Attention card={rest} />
      <div className="stack">
        <Summary />
        <AgentList />
        <Queue />
        <Recent />
      </div>
    </div>
  );
}

function Summary() {
  const status = useView((view) => view.status);
  const agents = useView((view) => view.agents);
  const attention = useView((view) => view.attention);
  const problems = useView((view) => view.problems);
  const summary = summaryOf({ status, agents, attention });
  const parts = summaryParts(summary).filter(({ long, name }) => long !== '' && name !== 'attention');
  const { queue, config, cost } = status;
  const plain = (kind: string, reason: string) => reasonWithoutCommands({ kind, reason, output: null });
  const hanging = queue.hanging.map((reason) => plain('hanging', reason));
  const notes = [queue.halted && plain('head', queue.halted), ...hanging, config.differs, ...problems].filter((note) => note !== null);
  return (
    <section className="panel" aria-label="Summary">
      <div className="row">
        <progress value={summary.landed} max={Math.max(summary.tasks, 1)} aria-label="Tasks landed" />
        <span className="numbers">
          {parts.map(({ name, long, calls }) => (
            <span key={name} className={calls ? 'warn' : undefined}>
              {long}
            </span>
          ))}
          {(cost.usd > 0 || cost.tokens > 0) && (
            <span>
              ${cost.usd.toFixed(2)}, {cost.tokens.toLocaleString('en-US')} tokens
            </span>
          )}
        </span>
      </div>
      <FarmControls />
      <Idle />
      {notes.map((note) => (
        <p key={note} className="warn">
          {visible(note)}
        </p>
      ))}
    </section>
  );
}

function AgentList() {
  const agents = useView((view) => view.agents);
  if (agents.length === 0) return null;
  return (
    <section className="panel" aria-label="Agents">
      <h2>Agents</h2>
      <ul className="rows">
        {agents.map((agent) => (
          <li key={agent.name} className="row">
            <a href={href('agents', agent.name)} className="name">
              {visible(agent.name)}
            </a>
            <AgentState agent={agent} />
            <span className="grow cut">{agent.task && <TaskLink task={agent.task} title={agent.title} />}</span>
            <span className="muted">
              <Age at={agent.since} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

function Queue() {
  const queue = useView((view) => view.queue);
  const entries = useView((view) => view.entries);
  const { rows } = useMemo(() => stackOf({ queue, entries }), [queue, entries]);
  return (
    <section className="panel" aria-label="Queue">
      <h2>
        <a href={href('queue')}>Queue</a> <span className="muted">{rows.length === 0 ? 'empty' : rows.length}</span>
      </h2>
      <ul className="rows">
        {rows.slice(0, RECENT).map(({ entry, place }) => (
          <li key={`${entry.phase}/${entry.task} ${entry.sha}`} className="row">
            <span className="grow cut">
              <TaskLink task={entry.task} title={entry.title} view="changes" />
            </span>
            <EntryState place={place} />
          </li>
        ))}
      </ul>
    </section>
  );
}

function Recent() {
  const events = useEvents();
  const shown = useMemo(() => newest(events), [events]);
  return (
    <section className="panel" aria-label="Recent events">
      <h2>
        <a href={href('log')}>Recent events</a>
      </h2>
      <Events events={shown} />
    </section>
  );
}

/** From the end, so that 10,000 events cost no more than 25. */
function newest(events: readonly FarmEvent[]): FarmEvent[] {
  const found: FarmEvent[] = [];
  for (let at = events.length - 1; at >= 0 && found.length < RECENT; at--) if (!CHATTER.has(events[at]!.kind)) found.push(events[at]!);
  return found;
}
