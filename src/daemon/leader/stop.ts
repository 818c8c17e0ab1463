import { advanceAgent, agentsOf } from '../../agents/agent/store.ts';
import { append } from '../../journal/event.ts';
import type { Tx } from '../../journal/store.ts';
import { removeStop } from '../../platform/stop-file.ts';
import { advanceAllWork, openWork } from '../../work/store.ts';
import type { Farm } from '../farm/farm.ts';
import type { LoopState } from './state.ts';

type Stopping = Pick<Farm, 'db' | 'clock' | 'stopped'>;

/** Tells every agent and all work to end. Answers the agents that were not stopped yet. */
export async function stopEverything(tx: Tx, now: number): Promise<string[]> {
  const stopped: string[] = [];
  for (const { name } of await agentsOf(tx)) if (await advanceAgent(tx, name, { on: 'stop' }, now)) stopped.push(name);
  await advanceAllWork(tx, { on: 'stop' });
  return stopped;
}

/**
 * Applies a person's stop to the store and to what runs: it may have been given while no daemon ran, or a daemon was killed before it had
 * stored it. Checks are cut short, except those that a person waits for.
 */
export async function holdStill(farm: Stopping, state: Pick<LoopState, 'queue' | 'slowChecks' | 'cut'>): Promise<void> {
  for (const run of [...state.queue.running.values(), ...state.slowChecks.running.values()]) if (!('asked' in run)) run.abort.abort();
  state.cut.abort();
  const atWork = (await agentsOf(farm.db)).some((agent) => agent.state !== 'stopped' && agent.state !== 'stopping');
  if (!atWork && (await openWork(farm.db)).every((work) => work.state === 'stopping')) return;
  await farm.db.transaction().execute(async (tx) => {
    // The person may have said `work` meanwhile.
    if (farm.stopped() !== undefined) await stopEverything(tx, farm.clock.now());
  });
}

/** Lets a stopped farm work again, in the transaction that stores the person's order. Answers whether it was stopped. */
export async function letGoOn(tx: Tx, { repo, stopped }: Pick<Farm, 'repo' | 'stopped'>, now: number): Promise<boolean> {
  if (stopped() === undefined) return false;
  await append(tx, { kind: 'farm.resumed', text: 'the farm goes on: what waits in the queue is checked and lands again' }, now);
  removeStop(repo.gitDir);
  return true;
}
