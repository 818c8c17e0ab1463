import { useState } from 'react';
import type { ListedAgent } from '../../src/api/contract.ts';
import { visible } from '../../src/platform/visible.ts';
import { kindOf } from '../../src/tell/face/states.ts';
import { useControl } from '../link/use-farm.ts';
import { useAct } from '../shell/act.ts';
import { href } from '../shell/route.ts';
import { Age } from '../shell/time.tsx';
import { AgentState } from './state.tsx';
import { TaskLink } from './task-name.tsx';

export interface Spent {
  readonly usd: number;
  readonly tokens: number;
}

interface CardProps {
  readonly agent: ListedAgent;
  readonly spent: Spent | undefined;
}

/** Everything that is known of an agent, beside its terminal, and what a person can do about it. */
export function AgentCard({ agent, spent }: CardProps) {
  const { name, branch, says, since, task } = agent;
  return (
    <article className="panel" aria-label={`agent ${visible(name)}`}>
      <header className="row">
        <strong>
          <a href={href('agents', name)}>{visible(name)}</a>
        </strong>
        <span className="muted cut">{visible(kindOf(agent))}</span>
        <AgentState agent={agent} />
        <span className="grow" />
        <span className="muted">
          <Age at={since} />
        </span>
      </header>
      <p className="cut">
        <AgentTask agent={agent} />
      </p>
      {says && <p className="muted">{visible(says)}</p>}
      <p className="muted cut">
        {spent && `$${spent.usd.toFixed(2)} · ${spent.tokens.toLocaleString('en-US')} tokens`}
        {spent && branch && ' · '}
        {branch && <code>{visible(branch)}</code>}
      </p>
      <div className="row">
        {task && (
          <a className="button" href={href('changes', task)}>
            Change
          </a>
        )}
        <AgentControls agent={agent} />
      </div>
    </article>
  );
}

export function AgentTask({ agent: { task, title, attempt } }: Pick<CardProps, 'agent'>) {
  if (!task) return <span className="muted">no task</span>;
  return (
    <>
      <TaskLink task={task} title={title} />
      {attempt !== null && attempt > 1 && <span className="muted"> try {attempt}</span>}
    </>
  );
}

export function AgentControls({ agent: { name, paused, state, task } }: Pick<CardProps, 'agent'>) {
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
