import { join } from 'node:path';
import type { Selectable } from 'kysely';
import { addAgent, advanceAgent, agentsOf } from '../../../agents/agent/store.ts';
import { append } from '../../../journal/event.ts';
import type { AgentRow } from '../../../journal/rows/agent.ts';
import { readMeta, type Tx } from '../../../journal/store.ts';
import { FurrowError } from '../../../platform/error.ts';
import { agentNames } from '../../../repo/worktree/names.ts';
import { owe } from '../../../tell/notice/store.ts';
import { lastAttemptBy } from '../../../work/attempt/store.ts';
import { advanceWork, openWork, orderWork, type Work } from '../../../work/store.ts';
import { isSatisfied } from '../../../work/task/derive.ts';
import { allTasks, hasTasks } from '../../../work/task/store.ts';
import { missingProgram } from '../../farm/agent-programs.ts';
import { lacksFence } from '../../farm/agent-settings.ts';
import { beginRun } from '../../farm/cost.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import { letGoOn } from '../stop.ts';
import { askAgain } from './refusal.ts';

interface WorkOrder {
  readonly phase?: string | undefined;
  readonly parallel?: number | undefined;
  readonly agent?: string | undefined;
  readonly fresh?: boolean | undefined;
  readonly until?: 'empty' | 'forever' | undefined;
  /** `false`: agents start before the head was checked. */
  readonly preflight?: boolean | undefined;
}

/** The phase to work on: the named one, else the first with unfinished tasks, else the last. */
export async function choosePhase(farm: Farm, named: string | undefined): Promise<string> {
  const phases = farm.board.phases.map((phase) => phase.name);
  if (named !== undefined) {
    if (phases.includes(named)) return named;
    throw new FurrowError('NO_PHASE', `the board has no phase ${named}`, {
      hint: phases.length > 0 ? `it has ${phases.join(', ')}` : 'furrow add "first task"',
    });
  }
  if (phases.length < 2) return phases[0] ?? 'default';
  const open = new Set((await farm.tasks()).tasks.filter((task) => !isSatisfied(task)).map((task) => task.phase));
  return phases.find((phase) => open.has(phase)) ?? phases.at(-1)!;
}

/** Starts work on a phase: N agents by name, earlier ones first. The loop gives them windows and tasks. */
export async function startWork(
  farm: Farm,
  order: WorkOrder,
): Promise<{ phase: string; parallel: number; agents: string[]; target: string; until: 'empty' | 'forever'; preflight: boolean }> {
  const phase = await choosePhase(farm, order.phase);
  const before = (await openWork(farm.db)).find((work) => work.phase === phase);
  // A second order for active work changes only what it names.
  const parallel = order.parallel ?? before?.parallel ?? farm.config.parallel;
  const until = order.until ?? before?.until ?? 'empty';
  const { refused } = farm.isolation;
  if (refused) throw new FurrowError('NO_FENCE', refused.why, { hint: refused.next });
  await farm.git.assertNoBranchInWay();
  const open = lacksFence(farm, order.agent ?? farm.config.agent);
  if (open) throw open;
  const missing = missingProgram(farm, order.agent ?? farm.config.agent);
  if (missing && (await hasTasks(farm.db, phase))) throw missing;
  const now = farm.clock.now();
  const preflight = order.preflight !== false && farm.config.checks.length > 0;
  const agents = await farm.db.transaction().execute(async (tx) => {
    const kind = order.agent ?? before?.kind ?? null;
    await beginRun(tx, now);
    await askAgain(tx);
    await orderWork(tx, { phase, parallel, kind, until, fresh: order.fresh ? 1 : 0, preflight: preflight ? 'wanted' : null }, now);
    await append(
      tx,
      {
        kind: 'work.started',
        text: `working through ${phase} with ${parallel} ${parallel === 1 ? 'agent' : 'agents'}`,
        data: { phase, parallel },
      },
      now,
    );
    const names = await muster(tx, farm, { phase, parallel, kind: kind ?? farm.config.agent }, now);
    await letGoOn(tx, farm, now);
    return names;
  });
  farm.wake();
  return { phase, parallel, agents, target: farm.target, until, preflight };
}

/** The phase of errands that no work under way can do; it has no folder on the board. */
const ERRANDS = 'errands';

/**
 * The phase whose agents can do an errand now: the wanted one if it is active, or any active one if none is wanted; else a phase of its
 * own, with one agent that stops when the errand is over.
 */
export async function phaseForErrand(tx: Tx, farm: Farm, wanted: string | null, now: number): Promise<string> {
  if (farm.stopped() !== undefined)
    throw new FurrowError('STOPPED', 'the farm is stopped, so no agent can start on it', {
      hint: 'furrow resume, then the same command again',
    });
  const active = (await openWork(tx)).filter((work) => work.state === 'active');
  const there = active.find((work) => work.phase === (wanted ?? work.phase));
  if (there) return there.phase;
  const onBoard = new Set(farm.board.phases.map((phase) => phase.name));
  const phase = onBoard.has(ERRANDS) ? `furrow-${ERRANDS}` : ERRANDS;
  await orderWork(tx, { phase, parallel: 1, kind: null, until: 'empty', fresh: 0, preflight: null }, now);
  await muster(tx, farm, { phase, parallel: 1, kind: farm.config.agent }, now);
  return phase;
}

/**
 * Takes back the stop of a phase's work, for the agents that have not been ended; the others stay stopped, since a new attempt would start
 * from nothing. Answers who works on.
 */
export async function takeBackStop(farm: Farm, phase: string, isEnding: (attempt: number | null) => boolean): Promise<string[]> {
  const now = farm.clock.now();
  return farm.db.transaction().execute(async (tx) => {
    const rows = (await agentsOf(tx, phase)).filter(({ state, attempt }) => state === 'stopping' && !isEnding(attempt));
    const names = rows.map((row) => row.name);
    if (names.length === 0) return [];
    for (const name of names) await advanceAgent(tx, name, { on: 'wanted' }, now);
    await advanceWork(tx, phase, { on: 'resumed' });
    await letGoOn(tx, farm, now);
    await append(tx, { kind: 'work.resumed', text: `work on ${phase} goes on with ${names.join(', ')}`, data: { phase } }, now);
    return names;
  });
}

/** The names that the next agents of the farm get. */
export function nextNames(farm: Pick<Farm, 'id'>, all: readonly { readonly name: string }[], count: number): string[] {
  return agentNames(Math.max(0, count), new Set(all.map((agent) => agent.name)), Number.parseInt(farm.id, 16) + all.length);
}

/** The things that a person has paused, each with the command that resumes it. */
export async function pausedBy({ db }: Pick<Farm, 'db'>): Promise<string[]> {
  const isSet = async (key: string) => (await readMeta(db, key)) === '1';
  return [
    ...((await isSet('paused')) ? ['the farm is paused: no task starts before furrow resume'] : []),
    ...((await isSet('queue.paused')) ? ['the queue is paused: nothing lands before furrow queue resume'] : []),
  ];
}

interface Wanted {
  readonly phase: string;
  readonly parallel: number;
  readonly kind: string;
  /** Agents with a smaller number stay as they are. */
  readonly from?: number;
}

/** Prepares as many agents of a phase as wanted, adds missing ones, and dismisses the rest; answers the names. */
export async function muster(tx: Tx, farm: Farm, { phase, parallel, kind, from = 1 }: Wanted, now: number): Promise<string[]> {
  const all = await agentsOf(tx);
  const ours = all.filter((agent) => agent.phase === phase);
  for (const { name, idx, state } of ours.filter((agent) => agent.idx >= from)) {
    // An earlier pause no longer holds back a stopped agent.
    const also = state === 'stopped' ? { paused: 0 } : {};
    await advanceAgent(tx, name, { on: idx <= parallel ? 'wanted' : 'dismissed' }, now, also);
  }
  const missing = Math.max(0, parallel - ours.length);
  const names = nextNames(farm, all, missing);
  for (const [i, name] of names.entries()) {
    const idx = ours.length + i + 1;
    await addAgent(tx, { name, idx, phase, kind, worktree: join(farm.places.worktrees, phase, name) }, now);
    await append(tx, { kind: 'agent.spawned', agent: name, text: `${name} joins as agent ${idx} of ${phase}`, data: { index: idx } }, now);
  }
  return [...ours.filter((agent) => agent.idx <= parallel).map((agent) => agent.name), ...names];
}

/**
 * Ends the work on a phase that has settled or was stopped: its agents stop, and worktrees without work of their own are removed. Answers
 * the agents that stopped.
 */
export async function endWork(farm: Farm, work: Work, perform: Performer, stopped: boolean, now: number): Promise<string[]> {
  const agents = await farm.db.transaction().execute(async (tx) => {
    // Only the order that was looked at: a newer one may have come since.
    if (!(await advanceWork(tx, work.phase, { on: 'ended', seen: work }))) return [];
    for (const { name } of await agentsOf(tx, work.phase)) await advanceAgent(tx, name, { on: 'dismissed' }, now);
    const text = stopped ? `work on ${work.phase} was stopped` : `${work.phase}: no task can start`;
    await append(tx, { kind: 'work.settled', text, data: { phase: work.phase, stopped } }, now);
    if (!stopped) await oweEnd(tx, work, now);
    return agentsOf(tx, work.phase);
  });
  if (farm.config.worktree.keep !== 'always') for (const agent of agents) void putAway(farm, perform, agent);
  return agents.map((agent) => agent.name);
}

/** Tells the person about the end of a work, except for an errand's phase, which has no task on the board. */
async function oweEnd(tx: Tx, { phase, at }: Work, now: number): Promise<void> {
  const tasks = (await allTasks(tx)).filter(
    (task) => task.phase === phase && task.file !== '' && task.missing === null && task.status !== 'archived',
  );
  const landed = tasks.filter(({ standing }) => standing === 'landed').length;
  const text = landed === tasks.length ? `all of its tasks have landed (${landed})` : `${landed} of ${tasks.length} tasks have landed`;
  if (tasks.length > 0) await owe(tx, { id: `work:${phase}:${at}`, kind: 'finished', subject: phase, text, at: now });
}

async function putAway(farm: Farm, perform: Performer, agent: Selectable<AgentRow>): Promise<void> {
  const last = await lastAttemptBy(farm.db, agent.name);
  if (!last || (farm.config.worktree.keep === 'on-failure' && last.outcome !== 'submitted')) return;
  await perform.start('worktree.dispose', { path: agent.worktree, agent: agent.name });
}
