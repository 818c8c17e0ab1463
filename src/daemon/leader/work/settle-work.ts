import { branchOf } from '../../../journal/branch.ts';
import { openEntries } from '../../../work/entry/read.ts';
import { planDispatch } from '../../../work/task/dispatch.ts';
import { isWritable } from '../../../work/task/file-change.ts';
import { splitRef } from '../../../work/task/id.ts';
import type { Task } from '../../../work/task/store.ts';
import { stuck } from '../../../work/task/stuck.ts';
import { type ActKey, agentKey, boardKey, PUBLISH } from '../../acts/keys.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import { dispatchSnapshot, type FarmRows } from '../../farm/snapshot.ts';
import { stuckRaces } from '../race/memory.ts';
import type { LoopState } from '../state.ts';
import { endWork } from './work.ts';

/** Settles a phase in which no task can start: its agents stop, and those who wait for it are told. Answers the agents that stopped. */
export async function settleWork(farm: Farm, state: LoopState, rows: FarmRows, perform: Performer, now: number): Promise<string[]> {
  // Repeated failures are reported separately; the work does not wait for them.
  const busy = (key: ActKey) => perform.busy(key) && !perform.failing(key);
  const publishes =
    busy(PUBLISH) || [state, ...state.others.values()].some((one) => one.queue.head !== one.targetAt && one.publishing.reason === null);
  if (rows.work.every((work) => work.state === 'ended')) return [];
  const follows = publishes || followsUp(state, busy);
  const entries = await openEntries(farm.db);
  // An entry that waits for something that nobody works on does not keep the work open.
  const moving = entries.filter((entry) => !state.queue.vain.has(entry.id));
  const vain = new Set(entries.filter((entry) => state.queue.vain.has(entry.id)).map((entry) => entry.task));
  const held = (task: { ref: string }) => state.held.get(task.ref)?.refused === true;
  const snapshot = { ...dispatchSnapshot(farm, rows), held, vain: (task: { ref: string }) => vain.has(task.ref) };
  for (const ref of stuckRaces(state.races, snapshot)) vain.add(ref);
  const home: string[] = [];
  for (const work of rows.work.filter((one) => one.state !== 'ended')) {
    const agents = rows.agents.filter((agent) => agent.phase === work.phase);
    const atWork = agents.some((agent) => agent.attempt !== null || busy(agentKey(agent.name)));
    const stopped = work.state === 'stopping' && !atWork;
    // Even with an empty board, people hear whether the check passes.
    const unknown = work.preflight === 'wanted' && state.preflightTold === 0;
    const owed = (task: Task) => task.phase === work.phase && isWritable(task) && !perform.failing(boardKey(task.ref));
    const unwritten = !state.boardWaits && rows.wanting.some(owed);
    // A person's branch and a revert count for every work.
    const queued = moving.some(
      (entry) => [work.phase, 'revert'].includes(splitRef(entry.task).phase) || branchOf(entry.task) !== undefined,
    );
    const halted = state.queue.stands !== undefined && planDispatch(snapshot, now).length === 0;
    const nobody = agents.every((agent) => agent.state === 'stopped') && !unwritten && !queued;
    const still = follows ? undefined : halted || nobody ? !atWork : stuck(snapshot, now, atWork || unwritten || queued, work.phase);
    if (stopped || (work.until === 'empty' && work.state === 'active' && !unknown && still))
      home.push(...(await endWork(farm, work, perform, stopped, farm.clock.now())));
  }
  return home;
}

/** True while a slow check (which may take a landing back) or a push is still to come. Their failures are reported separately. */
function followsUp({ slowChecks, unpushed, pushFailed }: LoopState, busy: (key: ActKey) => boolean): boolean {
  const checks = slowChecks.running.size > 0 || (slowChecks.wanted !== undefined && busy(slowChecks.wanted.key));
  return checks || (unpushed !== null && pushFailed === undefined);
}
