import { failure } from '../../../agents/agent/after-attempt.ts';
import { costsOf } from '../../../agents/agent/usage.ts';
import { append } from '../../../journal/event.ts';
import type { Tx } from '../../../journal/store.ts';
import { advanceEntrant, advanceRace, type Entrant, type Race, tellEnd } from '../../../queue/race/store.ts';
import { readSaid } from '../../../work/attempt/end-report.ts';
import { type Attempt, advanceAttempt, beginAttempt, lastAttemptAt, noteWord } from '../../../work/attempt/store.ts';
import { submitEntry } from '../../../work/entry/store.ts';
import { endErrand } from '../../../work/errand/store.ts';
import { raiseQuestion } from '../../../work/question/store.ts';
import { reworkOf } from '../../../work/task/rework.ts';
import { advance, readTask, type Task } from '../../../work/task/store.ts';
import { takenOf } from '../../../work/task/taken-over.ts';
import type { Farm } from '../../farm/farm.ts';
import { pinOf } from '../../farm/pins.ts';
import { targetOf } from '../../farm/target-of.ts';
import { landRule } from '../queue/approval.ts';

/** A race that is over, with its entrants. */
interface Over {
  readonly race: Race;
  readonly entrants: readonly Entrant[];
}

/**
 * Submits the winner's work as that of the task: an attempt with the token of the race, by the winner's agent, and its entry. The others
 * are stopped. One transaction; the pin before it may be made twice.
 */
export async function win(farm: Farm, over: Over, n: number, why: string): Promise<void> {
  const { race } = over;
  const winner = over.entrants.find((one) => one.n === n)!;
  const made = await lastAttemptAt(farm.db, winner.ref);
  if (!made || winner.sha === null) return;
  const target = targetOf(made, farm);
  await farm.git.createRef(pinOf(race.task, race.token, target), winner.sha);
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    const task = await readTask(tx, race.task);
    const note = `entrant ${n} of ${over.entrants.length} (${made.agent}) won the race: ${why}`;
    const submitted = await advance(tx, race.task, { on: 'submitted', token: race.token }, now, {
      crashes: 0,
      rework: reworkOf(task),
      tell: { status: 'review', notes: [note] },
    });
    if (!submitted) return;
    await attemptOfRace(tx, race, made, { sha: winner.sha!, reason: note }, now);
    const asked = { by: 'agent', rules: landRule(farm.config, 'agent', task, task.ref) } as const;
    const keep = farm.config.queue.keep_commits;
    await submitEntry(tx, { task, attempt: race.token, agent: made.agent, sha: winner.sha!, target, keep, asked }, now);
    await advanceEntrant(tx, { race: race.id, n, task: race.task }, { on: 'won' }, now, { reason: why });
    await close(tx, farm, over, `entrant ${n} won`, now);
    await advanceRace(tx, race.id, { on: 'ended', outcome: 'won' }, now, { winner: n, why });
    await tellEnd(tx, race, 'won', `${task.id}: ${note}`, { winner: n, agent: made.agent, costs: await costsIn(tx, over) }, now);
  });
  farm.wake();
}

/** The attempt of the raced task: the winner's work, under the token of the race. */
async function attemptOfRace(
  tx: Tx,
  race: Race,
  made: Attempt,
  { sha, reason }: { sha: string; reason: string },
  now: number,
): Promise<void> {
  const { agent, kind, settings, base, branch, target, started } = made;
  const id = await beginAttempt(
    tx,
    { task: race.task, n: race.token, agent, kind, settings, base, branch, target, deadline: null },
    started,
  );
  const said = readSaid(made.said);
  if (said && 'done' in said) await noteWord(tx, id, { done: said.done }, said.at, made.summary ?? undefined);
  await advanceAttempt(tx, id, { on: 'ended' }, { ended: now, outcome: 'submitted', reason, sha });
}

/** No result can land: the task goes back to its usual life, and its next attempt is told what was wrong with each. */
export async function lose(farm: Farm, over: Over): Promise<void> {
  const { race, entrants } = over;
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    const task = await readTask(tx, race.task);
    const first = `no result of ${entrants.length} in the race could land`;
    const after = failure(first, task, farm.config.attempts);
    const parked = after.event === 'parked';
    const reason = after.question ?? first;
    const moved = await advance(tx, race.task, { on: parked ? 'parked' : 'failed', token: race.token }, now, {
      failures: after.failures,
      crashes: 0,
      rework: { why: 'race', report: [first, ...entrants.map(reportOf)].join('\n\n'), from: null },
      ...(parked && { blocked: 1, block_reason: reason }),
      tell: { status: 'todo', notes: [first], ...(parked && { blocked: reason }) },
    });
    if (!moved) return;
    await close(tx, farm, over, 'the race is over', now);
    await advanceRace(tx, race.id, { on: 'ended', outcome: 'lost' }, now, { why: first });
    await tellEnd(tx, race, 'lost', `${task.id} goes back: ${first}`, { costs: await costsIn(tx, over) }, now);
    if (parked) await park(tx, race, task, reason, now);
  });
  farm.wake();
}

async function park(tx: Tx, race: Race, { id }: Task, reason: string, now: number): Promise<void> {
  await append(tx, { kind: 'task.parked', task: race.task, attempt: race.token, text: `${id} is parked: ${reason}` }, now);
  await raiseQuestion(tx, { kind: 'parked', subject: race.task, reason }, now);
}

/** A report of several results has room for this of each. */
const REPORT_LENGTH = 4000;

function reportOf({ n, agent, sha, reason }: Entrant): string {
  const made = sha === null ? '' : `, commit ${sha.slice(0, 12)} (git show ${sha.slice(0, 12)})`;
  const why = (reason ?? 'it did not win').slice(0, REPORT_LENGTH).toWellFormed();
  return `Entrant ${n}${agent === null ? '' : ` (${agent})`}${made}: ${why}`;
}

/** The race is no longer wanted: its task is free again, or already somebody else's. */
export async function cancel(farm: Farm, over: Over, why: string): Promise<void> {
  const { race } = over;
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    const task = await readTask(tx, race.task);
    const taken = takenOf(task);
    const held = task.standing === 'leased' && task.attempt === race.token;
    const tell = taken ? { status: 'in-progress', claimedBy: taken.by } : { status: 'todo' };
    if (held) await advance(tx, race.task, { on: 'stopped', token: race.token }, now, { tell });
    await close(tx, farm, over, why, now);
    if (!(await advanceRace(tx, race.id, { on: 'ended', outcome: 'cancelled' }, now, { why }))) return;
    await tellEnd(tx, race, 'cancelled', `the race for ${task.id} is called off: ${why}`, { costs: await costsIn(tx, over) }, now);
  });
  farm.wake();
}

/** Closes the race: agents that still work are stopped; all branches and pins stay. */
async function close(tx: Tx, farm: Farm, { race, entrants }: Over, why: string, now: number): Promise<void> {
  const times = { now, awake: farm.clock.awake() };
  for (const { n, ref } of entrants) {
    const left = await advanceEntrant(tx, { race: race.id, n, task: race.task }, { on: 'lost' }, now, { reason: why });
    if (left) await endErrand(tx, ref, why, times);
  }
  if (race.judge !== null && race.judge !== 'command') await endErrand(tx, race.judge, why, times);
}

/** The cost of each entrant so far, by its number; null: nobody knows. */
async function costsIn(tx: Tx, { entrants }: Over): Promise<Record<number, number | null>> {
  const costs = await costsOf(
    tx,
    entrants.map((one) => one.ref),
  );
  return Object.fromEntries(entrants.map(({ n, ref }) => [n, costs.get(ref)?.usd ?? null]));
}
