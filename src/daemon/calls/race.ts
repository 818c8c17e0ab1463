import { costsOf } from '../../agents/agent/usage.ts';
import type { Out } from '../../api/contract.ts';
import type { Handlers } from '../../api/server.ts';
import { FurrowError } from '../../platform/error.ts';
import type { EntrantKinds } from '../../queue/race/plan.ts';
import { isUnderWay } from '../../queue/race/state.ts';
import { advanceEntrant, type Entrant, entrantsOf, lastRaceOf, type Race } from '../../queue/race/store.ts';
import { TASK_STATES } from '../../tell/face/states.ts';
import { attemptsAt } from '../../work/attempt/store.ts';
import { endErrand } from '../../work/errand/store.ts';
import { findWork } from '../../work/store.ts';
import { splitRef } from '../../work/task/id.ts';
import { readTask, type Task } from '../../work/task/store.ts';
import type { Farm } from '../farm/farm.ts';
import { beginRace, missingKind } from '../leader/race/begin.ts';
import { type Desk, findTask, iso } from './context.ts';
import { listTasks } from './view/tasks.ts';

export function races(desk: Desk): Pick<Handlers, 'race' | 'raceDrop' | 'raceShow'> {
  const { farm } = desk;
  return {
    async race({ task: name, entrants, kinds }) {
      await desk.readBoard();
      const task = await findTask(farm, name);
      const wanted: EntrantKinds = kinds ?? Array<null>(entrants ?? 0).fill(null);
      if (wanted.length < 2)
        throw new FurrowError('USAGE', 'a race needs two entrants or more', { hint: `furrow race ${task.id} --entrants 3` });
      await assertFree(desk, task);
      const missing = missingKind(farm, wanted);
      if (missing) throw missing;
      const begun = await farm.db
        .transaction()
        .execute(async (tx) => beginRace(tx, farm, await readTask(tx, task.ref), wanted, farm.clock.now()));
      if (!begun) throw busy(task, 'is not free any more');
      farm.wake();
      return { ...(await shownRaceOf(farm, task))!, waits: await waitsFor(farm, task) };
    },

    async raceDrop({ task: name, entrant: n, reason }) {
      const task = await findTask(farm, name);
      const race = await raceOf(farm, task);
      if (race.state === 'ended')
        throw new FurrowError('RACE_OVER', `the race for ${task.id} is over: ${race.why ?? race.outcome}`, {
          hint: `furrow race ${task.id}`,
        });
      const entrant = await drop(farm, task, race, n, reason?.trim() || 'you dropped it');
      farm.wake();
      const left = (await entrantsOf(farm.db, race.id)).filter((one) => isUnderWay(one) || one.state === 'green').length;
      return { task: task.id, entrant: n, agent: entrant.agent, left };
    },

    async raceShow({ task: name }) {
      const task = await findTask(farm, name);
      await raceOf(farm, task);
      return (await shownRaceOf(farm, task))!;
    },
  };
}

const busy = (task: Task, why: string, hint = `furrow why ${task.id}`) => new FurrowError('TASK_BUSY', `${task.id} ${why}`, { hint });

/** A race begins with a task that could start now. */
async function assertFree(desk: Desk, task: Task): Promise<void> {
  if (task.purpose !== 'work') throw busy(task, 'is no task of the board');
  const race = await lastRaceOf(desk.farm.db, task.ref);
  if (race && race.state !== 'ended') throw busy(task, 'is raced already', `furrow race ${task.id}`);
  const { lines } = await listTasks(desk);
  const line = lines.find((one) => one.phase === task.phase && one.id === task.id);
  if (line?.state === 'parked' || line?.state === 'landed') throw busy(task, `is ${line.state}`, `furrow retry ${task.id}`);
  if (line?.state !== 'ready') throw busy(task, `cannot start now: it is ${line ? TASK_STATES[line.state].word : 'not there'}`);
}

async function waitsFor({ db }: Farm, { phase }: Task): Promise<string | null> {
  const work = await findWork(db, phase);
  return work?.state === 'active' ? null : `nobody works on phase ${phase} (start it: furrow work ${phase})`;
}

async function raceOf({ db }: Farm, task: Task): Promise<Race> {
  const race = await lastRaceOf(db, task.ref);
  if (race) return race;
  throw new FurrowError('NO_RACE', `there was no race for ${task.id}`, { hint: `furrow race ${task.id} --entrants 3` });
}

/** Takes one entrant out, and stops its agent; what it did is kept. */
async function drop(farm: Farm, task: Task, race: Race, n: number, reason: string): Promise<Entrant> {
  const now = farm.clock.now();
  return farm.db.transaction().execute(async (tx) => {
    const entrants = await entrantsOf(tx, race.id);
    const entrant = entrants.find((one) => one.n === n);
    const numbers = entrants.map((one) => one.n).join(', ');
    if (!entrant) throw new FurrowError('NO_ENTRANT', `the race for ${task.id} has no entrant ${n}`, { hint: `it has ${numbers}` });
    const who = { race: race.id, n, task: race.task };
    const text = `entrant ${n} of ${task.id} is dropped: ${reason}`;
    if (!(await advanceEntrant(tx, who, { on: 'dropped' }, now, { reason, text })))
      throw new FurrowError('ENTRANT_OUT', `entrant ${n} of ${task.id} is ${entrant.state} already`, { hint: `furrow race ${task.id}` });
    await endErrand(tx, entrant.ref, reason, { now, awake: farm.clock.awake() });
    return entrant;
  });
}

/** The newest race of a task, with the cost of each entrant; `undefined`: there was none. */
export async function shownRaceOf(
  { db }: Pick<Farm, 'db'>,
  task: Pick<Task, 'ref' | 'id' | 'phase'>,
): Promise<Out<'raceShow'> | undefined> {
  const race = await lastRaceOf(db, task.ref);
  if (!race) return undefined;
  const rows = await entrantsOf(db, race.id);
  const costs = await costsOf(
    db,
    rows.map((one) => one.ref),
  );
  const entrants: Out<'raceShow'>['entrants'] = [];
  for (const { n, ref, kind, state, agent, sha, lines, reason } of rows) {
    const attempts = await attemptsAt(db, ref);
    const last = attempts.at(-1);
    const { usd = null, tokens = 0 } = costs.get(ref) ?? {};
    entrants.push({
      ...{ n, task: splitRef(ref).id, kind: kind ?? last?.kind ?? null, agent: agent ?? last?.agent ?? null, state },
      ...{ reason: reason?.split('\n')[0] ?? null, commit: sha ?? last?.sha ?? null, branch: last?.branch ?? null },
      ...{ attempts: attempts.length, usd, tokens, lines },
    });
  }
  const judge = race.judge === null || race.judge === 'command' ? race.judge : splitRef(race.judge).id;
  const state = race.state === 'ended' ? race.outcome! : race.state;
  const { winner, why, at, ended } = race;
  return { task: task.id, phase: task.phase, state, winner, why, judge, at: iso(at), ended: ended === null ? null : iso(ended), entrants };
}
