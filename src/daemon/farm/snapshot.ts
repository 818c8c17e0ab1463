import type { Selectable } from 'kysely';
import { agentsOf } from '../../agents/agent/store.ts';
import { globsOverlap } from '../../agents/lease/paths.ts';
import { openLeases, type Stored } from '../../agents/lease/store.ts';
import type { Supervision } from '../../agents/supervision/record.ts';
import { supervisionsOf } from '../../agents/supervision/store.ts';
import type { AgentRow } from '../../journal/rows/agent.ts';
import type { AttemptRow } from '../../journal/rows/attempt.ts';
import type { WorkRow } from '../../journal/schema.ts';
import { readMeta } from '../../journal/store.ts';
import { openAttempts } from '../../work/attempt/store.ts';
import { allWork } from '../../work/store.ts';
import { type Claimed, claimant } from '../../work/task/claim.ts';
import type { DispatchSnapshot } from '../../work/task/dispatch.ts';
import type { WipLimits } from '../../work/task/wip-limits.ts';
import type { Farm } from './farm.ts';
import type { TaskRows } from './task-rows.ts';

/** The agents, and their current work. */
export interface AgentRows {
  readonly agents: readonly Selectable<AgentRow>[];
  /** Attempts that have not ended. */
  readonly attempts: readonly Selectable<AttemptRow>[];
  /** The supervision records of the attempts, by their ids. */
  readonly supervision: ReadonlyMap<number, Supervision>;
}

/** The rows for decisions about tasks and agents, read once a tick. */
export interface FarmRows extends TaskRows, AgentRows {
  readonly work: readonly Selectable<WorkRow>[];
  readonly paused: boolean;
  /** Leases that are held or waited for. */
  readonly leases: readonly Stored[];
}

export async function readRows(farm: Farm): Promise<FarmRows> {
  const { db } = farm;
  const tasks = await farm.tasks();
  const agents = await readAgentRows(farm);
  const work = await allWork(db);
  return { ...tasks, ...agents, work, leases: await openLeases(db), paused: (await readMeta(db, 'paused')) === '1' };
}

export async function readAgentRows(farm: Pick<Farm, 'db' | 'log'>): Promise<AgentRows> {
  const { db } = farm;
  const agents = await agentsOf(db);
  const attempts = await openAttempts(db);
  const supervision = await supervisionsOf(
    db,
    attempts.map((row) => row.id),
    (attempt, error) => farm.log.error({ attempt, error: error.message }, 'the record of an attempt cannot be read'),
  );
  return { agents, attempts, supervision };
}

export function dispatchSnapshot(farm: Farm, rows: FarmRows): DispatchSnapshot {
  const wanted = new Map(rows.work.map((row) => [row.phase, row.parallel]));
  return {
    tasks: rows.plan,
    agents: rows.agents.map((row) => ({
      name: row.name,
      phase: row.phase,
      free: row.state === 'idle' && row.idx <= (wanted.get(row.phase) ?? 0),
      paused: row.paused === 1,
    })),
    activePhases: new Set(rows.work.filter((row) => row.state === 'active').map((row) => row.phase)),
    paused: rows.paused,
    claim: claims(farm, rows),
    wip: limitsOf(farm),
    inHand: rows.leases.filter(({ kind }) => kind === 'path').map(({ names }) => names),
    overlap: globsOverlap,
    priorities: farm.board.config.priorities,
    classes: farm.board.config.classes,
  };
}

/** Makes a function that names the person who has claimed a task on the board. */
export function claims(
  farm: Farm,
  rows: { readonly agents: readonly { readonly name: string }[] },
): (task: Claimed & { readonly phase: string }) => string | undefined {
  const agents = new Set(rows.agents.map((row) => row.name));
  const timeouts = new Map(farm.board.phases.map((phase) => [phase.name, phase.config.claimTimeoutMs]));
  const now = farm.clock.now();
  return (task) =>
    task.claimedBy === null ? undefined : claimant(task, agents, timeouts.get(task.phase) ?? farm.board.config.claimTimeoutMs, now);
}

/** The phases whose boards limit the number of tasks under way. */
function limitsOf(farm: Farm): Map<string, WipLimits> {
  const limited = farm.board.phases.filter(({ config }) => Object.keys(config.wip).length + Object.keys(config.classWip).length > 0);
  return new Map(limited.map(({ name, config }) => [name, config]));
}
