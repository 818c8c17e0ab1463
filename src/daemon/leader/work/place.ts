import { type Agent, agentsOf } from '../../../agents/agent/store.ts';
import { append } from '../../../journal/event.ts';
import { FurrowError } from '../../../platform/error.ts';
import { openWork, type Work, widenWork } from '../../../work/store.ts';
import type { Farm } from '../../farm/farm.ts';
import { muster, startWork } from './work.ts';

const workOn = async (farm: Farm, phase: string) => (await openWork(farm.db)).find((one) => one.phase === phase);

/** Throws when a phase cannot have one more agent and has no free one. */
export async function assertRoom(farm: Farm, phase: string, most: number): Promise<void> {
  const work = await workOn(farm, phase);
  if (work?.state === 'stopping') throw new FurrowError('STOPPING', `the work on ${phase} is being stopped`, { hint: 'furrow status' });
  if (!work || work.parallel < most || (await agentsOf(farm.db, phase)).some((agent) => isFree(agent, work))) return;
  throw new FurrowError('SPAWN_LIMIT', `${phase} has ${work.parallel} agents, and spawn.most in furrow.yaml is ${most}`, {
    hint: 'task_create: the next agent that is free gets it',
  });
}

const isFree = ({ idx, state, paused }: Agent, work: Work) => idx <= work.parallel && state === 'idle' && paused === 0;

/**
 * Adds one more agent for a phase, if there is room; a phase without work gets one. It resets neither the budget of the work nor an agent
 * that a person has stopped.
 */
export async function addPlace(farm: Farm, phase: string, most: number): Promise<void> {
  const work = await workOn(farm, phase);
  if (!work) return void (await startWork(farm, { phase, parallel: 1 }));
  const parallel = work.parallel + 1;
  const now = farm.clock.now();
  if (parallel <= most)
    await farm.db.transaction().execute(async (tx) => {
      await widenWork(tx, phase, parallel);
      await append(tx, { kind: 'work.widened', text: `${phase} gets one more agent: ${parallel} now`, data: { phase, parallel } }, now);
      await muster(tx, farm, { phase, parallel, kind: work.kind ?? farm.config.agent, from: parallel }, now);
    });
  farm.wake();
}
