import { setTimeout as sleep } from 'node:timers/promises';
import { advanceAgent, agentNamed, agentsOf, pauseAgent } from '../../agents/agent/store.ts';
import type { Out } from '../../api/contract.ts';
import type { Handlers } from '../../api/server.ts';
import { append, newestEvents } from '../../journal/event.ts';
import { writeMeta } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import type { FailedOutput } from '../../platform/output/failed.ts';
import { writeStop } from '../../platform/stop-file.ts';
import { TASK_STATES } from '../../tell/face/states.ts';
import { findWork, openWork } from '../../work/store.ts';
import { refOf } from '../../work/task/id.ts';
import { reworkOf } from '../../work/task/rework.ts';
import { reworkedTasks } from '../../work/task/store.ts';
import { takenOf } from '../../work/task/taken-over.ts';
import { attemptKey } from '../acts/keys.ts';
import { openHalt } from '../farm/failed-output.ts';
import type { Farm } from '../farm/farm.ts';
import { tryAgain } from '../leader/attempt/try-again.ts';
import { explainOpen } from '../leader/queue/explain.ts';
import { queueSnapshot } from '../leader/queue/snapshot.ts';
import { letGoOn, stopEverything } from '../leader/stop.ts';
import { pausedBy, startWork, takeBackStop } from '../leader/work/work.ts';
import { type Desk, findTask } from './context.ts';
import { noTarget } from './no-target.ts';
import { anew } from './preflight.ts';
import { listTasks, onBoard } from './view/tasks.ts';
import { until } from './wait-until.ts';

type Names = 'work' | 'settled' | 'pause' | 'resume' | 'stop' | 'carryOn' | 'retry';

export function steer(desk: Desk): Pick<Handlers, Names> {
  const { farm, feed } = desk;
  const { db } = farm;

  const setPaused = async (agent: string | undefined, paused: boolean): Promise<string[]> => {
    const now = farm.clock.now();
    const word = paused ? 'paused' : 'resumed';
    const name = agent === undefined ? undefined : (await agentNamed(farm.db, agent)).name;
    await db.transaction().execute(async (tx) => {
      if (name === undefined) await writeMeta(tx, 'paused', paused ? '1' : '0');
      else {
        await pauseAgent(tx, name, paused);
        if (!paused) await advanceAgent(tx, name, { on: 'resumed' }, now);
      }
      if (!paused) await letGoOn(tx, farm, now);
      await append(tx, { kind: `farm.${word}`, agent: name ?? null, text: `${name ?? 'the farm'} is ${word}` }, now);
    });
    farm.wake();
    return [name ?? 'farm'];
  };

  return {
    async work(order) {
      await desk.readBoard();
      if (!desk.state.base) throw await noTarget(farm);
      if (order.preflight !== false) await anew(desk);
      desk.orders.tellHead();
      return { ...(await startWork(farm, order)), paused: await notesFor(farm) };
    },

    async settled({ phase }, { signal }) {
      await until(feed, signal, async () => {
        const work = await findWork(db, phase);
        return !work || work.state === 'ended';
      });
      return outcome(desk, phase);
    },

    pause: async ({ agent }) => ({ paused: await setPaused(agent, true) }),

    async resume({ agent }) {
      const before = farm.stopped();
      return { resumed: await setPaused(agent, false), ...(before !== undefined && { wasStopped: true }) };
    },

    async stop({ agent, all, now: atOnce, leave }) {
      const only = agent === undefined ? undefined : (await agentNamed(farm.db, agent)).name;
      const everything = only === undefined || (await isLast(farm, only));
      if (everything && !leave) await writeStop(farm.repo.gitDir);
      const stopped = await stopAgents(desk, everything ? undefined : only, atOnce ?? false);
      if (all) desk.quit('all');
      else if (everything) await still(desk);
      return { stopped, farm: all ?? false, ...(everything && !leave && { everything }) };
    },

    async carryOn({ phase }) {
      const ending = (attempt: number | null) => attempt !== null && desk.perform.busy(attemptKey(attempt));
      const agents = await takeBackStop(farm, phase, ending);
      farm.wake();
      return { agents };
    },

    async retry({ task: name, reason = '' }) {
      const task = await findTask(farm, name);
      const taken = takenOf(task);
      if (taken)
        throw new FurrowError('TAKEN', `${taken.by} took ${task.id} over, so no agent gets it`, { hint: `furrow give ${task.id}` });
      if (task.standing === 'leased' || task.standing === 'submitted') {
        throw new FurrowError('NOT_PARKED', `${task.id} is ${TASK_STATES[task.standing].word}, so there is nothing to retry`, {
          hint: `furrow why ${task.id}`,
        });
      }
      if (task.status === 'archived') {
        throw new FurrowError('ARCHIVED', `${task.id} is archived`, { hint: `furrow move ${task.id} todo, if it is to be done after all` });
      }
      if (task.missing !== null) {
        throw new FurrowError('NO_FILE', `${task.file} is not on the board, so there is nothing to work from`, {
          hint: `furrow why ${task.id}`,
        });
      }
      // The file may be another task by now: it is read again before anybody starts on it.
      if (task.standing === 'landed') desk.orders.readBoard();
      await db.transaction().execute((tx) => tryAgain(tx, task, farm.clock.now(), { words: reason.trim() }));
      farm.wake();
      return { id: task.id };
    },
  };
}

/** True when every other agent is stopped already: then the stop of this one is the stop of everything. */
async function isLast({ db }: Farm, name: string): Promise<boolean> {
  return (await agentsOf(db)).every((agent) => agent.name === name || agent.state === 'stopped');
}

/** Enough for a landing or a publication; a check, a push and a judge are cut short. */
const STILL_MS = 30_000;

/** Waits until no act runs that a stopped farm would not begin. */
async function still({ perform, looked }: Desk): Promise<void> {
  for (const until = performance.now() + STILL_MS; perform.underWay().length > 0; ) {
    if (performance.now() > until)
      throw new FurrowError('TRY_AGAIN', `the farm is stopped, but this has not ended yet: ${perform.underWay().join(', ')}`, {
        hint: 'furrow stop --all',
      });
    await looked();
    await sleep(20);
  }
}

/** Remarks for the start of work: a furrow.yaml that does not count, that nothing is checked, and what is paused, with the command that resumes it. */
async function notesFor(farm: Farm): Promise<string[]> {
  const { wrong, differs } = farm.inputs.now;
  const unused = (wrong ?? differs)?.replaceAll('\n', '; ');
  const unchecked = farm.config.checks.length === 0 ? ['no check is configured: work lands unchecked. Set `check:` in furrow.yaml'] : [];
  const older = unused === undefined ? [] : [`${unused}; the work goes by an earlier version, which furrow config prints`];
  return [...older, ...unchecked, ...(await pausedBy(farm))];
}

/** After four failures an attempt is ended without a look at what it left; only one whose processes live on fails once more. */
const HOPELESS = 5;

/** Asks agents to end, saves what they did, and waits until they have. */
export async function stopAgents(desk: Desk, only: string | undefined, atOnce: boolean, why?: string): Promise<string[]> {
  const { farm, feed } = desk;
  const { db } = farm;
  const now = farm.clock.now();
  const names = await db.transaction().execute(async (tx) => {
    if (farm.stopped() !== undefined)
      await append(tx, { kind: 'farm.stopped', text: 'a person stopped the farm: nothing starts or lands until they say so' }, now);
    const text = only ? `${only} is being stopped${why ? ` (${why})` : ''}` : 'all agents are being stopped';
    await append(tx, { kind: 'agent.stopping', agent: only ?? null, text }, now);
    if (only === undefined) return stopEverything(tx, now);
    return (await advanceAgent(tx, only, { on: 'stop' }, now)) ? [only] : [];
  });
  desk.orders.stop(atOnce);
  farm.wake();
  let stuck: { name: string; attempt: number | null }[] = [];
  await until(feed, desk.ending, async () => {
    const agents = (await agentsOf(db)).filter(({ name, attempt }) => attempt !== null && names.includes(name));
    const work = only === undefined ? (await openWork(db)).filter(({ state }) => state === 'stopping') : [];
    // Agents that cannot be ended are named; waiting for them would never end.
    stuck = agents.filter((one) => one.attempt !== null && desk.perform.failing(attemptKey(one.attempt), HOPELESS));
    return agents.length + work.length === 0 || (agents.length > 0 && stuck.length === agents.length);
  });
  if (stuck.length > 0) {
    const [first] = stuck;
    throw new FurrowError(
      'TRY_AGAIN',
      `these agents could not be stopped: ${stuck.map((one) => one.name).join(', ')}; furrow goes on trying`,
      {
        hint: `furrow why ${first!.name}`,
      },
    );
  }
  if (desk.ending.aborted) throw new FurrowError('TRY_AGAIN', 'the daemon is ending; its agents work on', { hint: 'furrow stop' });
  return names;
}

/** The reasons of the entries' states, by their tasks: "is in the queue" would not say why the work ended. */
async function queueReasons({ farm, state }: Desk): Promise<Map<string, string>> {
  const snapshot = await queueSnapshot(farm, state.queue, true);
  const reasons = explainOpen(snapshot);
  return new Map(
    snapshot.entries.flatMap((entry) => (reasons.has(entry.id) ? [[entry.task, `in the queue: ${reasons.get(entry.id)!.text}`]] : [])),
  );
}

async function outcome(desk: Desk, phase: string): Promise<Out<'settled'>> {
  const lines = onBoard(await listTasks(desk));
  const work = await findWork(desk.farm.db, phase);
  // A task without a file when the work began was not part of it.
  const gone = (missing: string | null) => missing !== null && Date.parse(missing) < (work?.at ?? 0);
  const own = lines.filter((line) => line.phase === phase && line.state !== 'archived' && !gone(line.missing));
  const inQueue = await queueReasons(desk);
  const left = own
    .filter((line) => line.state !== 'landed')
    .map((line) => ({
      id: line.id,
      title: line.title,
      state: line.state,
      reason: inQueue.get(refOf(phase, line.id)) ?? line.reason ?? line.state,
    }));
  const ends = await newestEvents(desk.farm.db, ['work.settled'], 50);
  const last = ends.map((row) => JSON.parse(row.data) as { phase: string; stopped: boolean }).find((end) => end.phase === phase);
  const outputs = await outputsOf(desk, new Set(left.map((line) => refOf(phase, line.id))));
  return { phase, landed: own.length - left.length, total: own.length, left, stopped: last?.stopped ?? false, outputs };
}

/** Output of the failed checks that hold these tasks back: of the one that halts the queue, and of those they were sent back for. */
async function outputsOf({ farm: { db } }: Desk, refs: ReadonlySet<string>): Promise<FailedOutput[]> {
  if (refs.size === 0) return [];
  const rows = await reworkedTasks(db);
  const sentBack = rows.filter((row) => refs.has(row.ref)).map((row) => reworkOf(row)?.output);
  const all = [(await openHalt(db))?.output, ...sentBack].filter((one) => one !== undefined);
  return [...new Map(all.map((one) => [one.path, one])).values()].slice(0, OUTPUTS_SHOWN);
}

const OUTPUTS_SHOWN = 3;
