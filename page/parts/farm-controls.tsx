import { useState } from 'react';
import { entryPlace, inQueue, progressOf } from '../../src/tell/face/states.ts';
import type { View } from '../../src/tell/face/view.ts';
import { useCall, useControl, useView } from '../link/use-farm.ts';
import { useAct } from '../shell/act.ts';
import { href } from '../shell/route.ts';

const counted = (n: number, one: string) => `${n} ${one}${n === 1 ? '' : 's'}`;

/** Starts, pauses and stops the farm, and says how many agents it has. Not for who may only look. */
export function FarmControls() {
  return useControl() ? <Controls /> : null;
}

function Controls() {
  const state = useView(({ status }) => status.farm.state);
  const act = useAct();
  const [sure, setSure] = useState(false);
  const stop = () => {
    setSure(!sure);
    if (sure) void act('stop', {}, 'The agents are stopped; their work is kept.');
  };
  return (
    <fieldset className="row plain" aria-label="The farm">
      <Agents />
      {state === 'running' && (
        <button type="button" onClick={() => void act('pause', {}, 'Paused: no agent starts on a task.')}>
          Pause
        </button>
      )}
      {state === 'paused' && (
        <button type="button" className="main" onClick={() => void act('resume', {}, 'The farm goes on.')}>
          Go on
        </button>
      )}
      {state !== 'stopped' && (
        <button type="button" className={sure ? 'bad' : undefined} onBlur={() => setSure(false)} onClick={stop}>
          {sure ? 'Stop all agents now?' : 'Stop'}
        </button>
      )}
    </fieldset>
  );
}

/** The number of agents, with the button that starts so many, or makes the work under way have so many. */
function Agents() {
  const stopped = useView(({ status }) => status.farm.state === 'stopped');
  const phase = useView(({ agents }) => agents.find(({ state }) => state !== 'stopped')?.phase);
  const now = useView(({ agents }) => agents.filter((agent) => agent.state !== 'stopped' && agent.phase === phase).length);
  const { data } = useCall('config', stopped ? {} : undefined);
  const [typed, setTyped] = useState<string>();
  // While somebody types there, no number that arrives joins theirs: a 4 that came before their 2 started 42 agents.
  const [held, setHeld] = useState<string>();
  const act = useAct();
  const usual = stopped ? Number(data?.config['parallel'] ?? 0) : now;
  const wanted = typed === undefined ? usual : Number(typed);
  const valid = Number.isInteger(wanted) && wanted >= 1 && wanted <= 500;
  const order = { ...(typed !== undefined && { parallel: wanted }), ...(!stopped && phase !== undefined && { phase }) };
  const start = async () => {
    const done = await act(
      'work',
      order,
      (started) => `${counted(started.parallel, 'agent')} on ${started.phase}, landing on ${started.target}.`,
    );
    if (done) setTyped(undefined);
  };
  return (
    <form
      className="row"
      onSubmit={(event) => {
        event.preventDefault();
        if (valid) void start();
      }}
    >
      <label className="row">
        <input
          type="number"
          className="few"
          min={1}
          max={500}
          value={typed ?? held ?? (usual || '')}
          onFocus={() => setHeld(String(usual || ''))}
          onBlur={() => setHeld(undefined)}
          onChange={(event) => setTyped(event.target.value)}
        />{' '}
        {wanted === 1 ? 'agent' : 'agents'}
      </label>
      {(stopped || (typed !== undefined && wanted !== now)) && (
        <button type="submit" className="main" disabled={!valid}>
          {stopped ? 'Start' : 'Change'}
        </button>
      )}
    </form>
  );
}

/** Says why nothing moves although something could, with the button that changes it. */
export function Idle() {
  const control = useControl();
  const stopped = useView(({ status }) => status.farm.state === 'stopped');
  const ready = useView(({ status: { tasks } }) => tasks['ready'] ?? 0);
  const queued = useView(goesOn);
  const all = useView(({ status: { tasks } }) => progressOf(tasks).total);
  const landed = useView(({ status: { tasks } }) => progressOf(tasks).landed);
  if (!stopped) return null;
  if (ready + queued === 0 && control && landed === all)
    return (
      <p className="muted">
        {all === 0 ? 'The board is empty.' : all === 1 ? 'The task has landed.' : `All ${all} tasks have landed.`}{' '}
        <a href={href('board', 'new')}>{all === 0 ? 'Add the first task' : 'Add the next one'}</a>
      </p>
    );
  if (ready + queued === 0) return null;
  const parts = [
    ...(ready > 0 ? [`${counted(ready, 'task')} ${ready === 1 ? 'is' : 'are'} ready`] : []),
    ...(queued > 0 ? [`${queued} in the queue`] : []),
  ];
  return (
    <p className="warn">
      No agent works, and {parts.join(', ')}.{control && ' Start lets it go on.'}
    </p>
  );
}

/** Entries that wait until the farm is started. One that waits for a yes alone lands with it, unless a person stopped the farm. */
const goesOn = ({ entries, status }: View): number =>
  entries.filter((entry) => inQueue(entry) && (status.farm.stopped !== null || entryPlace(entry) !== 'approval')).length;
