import type { Selectable } from 'kysely';
import { LONGEST_BACKOFF_MS } from '../agent/supervise.ts';
import type { AgentRow, AttemptRow, HeardRow, WorkRow } from '../journal/schema.ts';
import { readMeta } from '../journal/store.ts';
import { tableVersion } from '../platform/db.ts';
import type { DispatchSnapshot, PlanTask } from '../task/plan.ts';
import type { Task } from '../task/store.ts';
import { type Heard, readHeard } from './agents/heard.ts';
import type { Farm } from './farm.ts';

/** The rows that decisions about tasks and agents are made from, read once a tick. */
export interface FarmRows {
  readonly tasks: readonly Task[];
  readonly agents: readonly Selectable<AgentRow>[];
  /** Attempts that have not ended. */
  readonly attempts: readonly Selectable<AttemptRow>[];
  readonly work: readonly Selectable<WorkRow>[];
  /** Each task's newest attempt, by ref; rework goes back to its agent when that is free. */
  readonly newest: ReadonlyMap<string, { readonly agent: string; readonly branch: string; readonly sha: string | null }>;
  readonly paused: boolean;
  /** What was heard of the attempts, by their ids. */
  readonly heard: ReadonlyMap<number, Heard>;
}

export async function readRows(farm: Farm): Promise<FarmRows> {
  const { db } = farm;
  const { tasks, newest } = await readTasks(farm);
  const agents = await db.selectFrom('agent').selectAll().orderBy('idx').execute();
  const attempts = await db.selectFrom('attempt').selectAll().where('state', '!=', 'ended').execute();
  const work = await db.selectFrom('work').selectAll().execute();
  const heard = new Map<number, Heard>();
  if (attempts.length > 0) {
    const ids = attempts.map((row) => row.id);
    for (const row of await db.selectFrom('heard').selectAll().where('attempt', 'in', ids).execute()) hear(farm, heard, row);
  }
  return { tasks, newest, agents, attempts, work, heard, paused: (await readMeta(db, 'paused')) === '1' };
}

/** What cannot be read is as if it had not been said: one bad row must not keep the others from being seen to. */
function hear(farm: Farm, heard: Map<number, Heard>, row: Selectable<HeardRow>): void {
  try {
    heard.set(row.attempt, readHeard(row));
  } catch (error) {
    farm.log.error({ attempt: row.attempt, error: (error as Error).message }, 'what was heard of an attempt cannot be read');
  }
}

type Reading = Pick<FarmRows, 'tasks' | 'newest'>;

const kept = new WeakMap<object, { version: string; reading: Reading }>();

/** Read again only when something was written: with 10,000 tasks a reading costs 100 ms, and most ticks change none. */
export async function readTasks({ db }: Farm): Promise<Reading> {
  const version = `${tableVersion(db, 'task')} ${tableVersion(db, 'attempt')}`;
  const known = kept.get(db);
  if (known?.version === version) return known.reading;
  const tasks = await db.selectFrom('task').selectAll().execute();
  const newest = await db
    .selectFrom('attempt')
    .innerJoin('task', (join) => join.onRef('task.ref', '=', 'attempt.task').onRef('task.attempt', '=', 'attempt.n'))
    .select(['attempt.task as task', 'attempt.agent as agent', 'attempt.branch as branch', 'attempt.sha as sha'])
    .execute();
  const reading = { tasks, newest: new Map(newest.map((row) => [row.task, row])) };
  // What was written meanwhile is counted, and makes the next look read again.
  kept.set(db, { version, reading });
  return reading;
}

const planned = new WeakMap<FarmRows['newest'], PlanTask[]>();

/** Made once for each reading: the graph that follows from the tasks is kept by this array. */
function planTasks(farm: Farm, { tasks, newest }: FarmRows): PlanTask[] {
  const known = planned.get(newest);
  if (known) return known;
  const made = tasks.map((row) => planTask(farm, row, newest));
  planned.set(newest, made);
  return made;
}

function planTask(farm: Farm, row: Task, newest: FarmRows['newest']): PlanTask {
  return {
    ref: row.ref,
    id: row.id,
    phase: row.phase,
    title: row.title,
    status: row.status,
    priority: row.priority,
    class: row.class,
    due: row.due,
    created: row.created,
    dependsOn: JSON.parse(row.depends_on) as string[],
    agent: row.agent,
    blocked: row.blocked === 1,
    blockReason: row.block_reason,
    standing: row.standing,
    missing: row.missing,
    attempt: row.attempt,
    // A time of a scale that ran ahead of this one, before the machine was started anew, holds nobody back.
    notBefore: row.not_before > farm.clock.awake() + LONGEST_BACKOFF_MS ? 0 : row.not_before,
    wasHeldBy: newest.get(row.ref)?.agent ?? null,
    reworking: row.rework !== null,
  };
}

export function dispatchSnapshot(farm: Farm, rows: FarmRows): DispatchSnapshot {
  const wanted = new Map(rows.work.map((row) => [row.phase, row.parallel]));
  return {
    tasks: planTasks(farm, rows),
    agents: rows.agents.map((row) => ({
      name: row.name,
      phase: row.phase,
      free: row.state === 'idle' && row.idx <= (wanted.get(row.phase) ?? 0),
      paused: row.paused === 1,
    })),
    activePhases: new Set(rows.work.filter((row) => row.state === 'active').map((row) => row.phase)),
    paused: rows.paused,
    priorities: farm.board.config.priorities,
    classes: farm.board.config.classes,
  };
}
