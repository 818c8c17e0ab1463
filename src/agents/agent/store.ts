import type { Selectable, Updateable } from 'kysely';
import { keptRows } from '../../journal/kept-rows.ts';
import type { AgentRow } from '../../journal/rows/agent.ts';
import { change, statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import { openWork } from '../../work/store.ts';
import { type AgentStep, step } from './state.ts';

export type Agent = Selectable<AgentRow>;

/** Moves an agent by one event. `false` means that the event does not apply; then nothing changes. */
export async function advanceAgent(
  tx: Tx,
  name: string,
  event: AgentStep,
  now: number,
  also: Pick<Updateable<AgentRow>, 'kind' | 'paused'> = {},
): Promise<boolean> {
  const row = await findAgent(tx, name);
  const next = row && step(row, event);
  if (!next) return false;
  await changeAgent(tx, { ...also, ...next, since: now }, { name });
  return true;
}

const changeAgent = change((db, columns: Updateable<AgentRow>, { name }: { name: string }) =>
  db.updateTable('agent').set(columns).where('name', '=', name).compile(),
);

const byName = statement((db, { name }: { name: string }) => db.selectFrom('agent').selectAll().where('name', '=', name).compile());

export async function findAgent(db: Db | Tx, name: string): Promise<Agent | undefined> {
  return (await byName(db, { name })).rows[0];
}

/** The agent that an attempt names always exists: rows of agents stay. */
export async function readAgent(db: Db | Tx, name: string): Promise<Agent> {
  const row = await findAgent(db, name);
  if (!row) throw new Error(`there is no agent ${name}`);
  return row;
}

const agents = keptRows<Agent>('agent');
const inOrder = statement((db) => db.selectFrom('agent').selectAll().orderBy('idx').orderBy('phase').compile());

/** Agents of one phase, or of the farm, in the order of their numbers. */
export async function agentsOf(db: Db | Tx, phase?: string): Promise<Agent[]> {
  const all = await agents(db, async () => (await inOrder(db, {})).rows);
  return phase === undefined ? all : all.filter((agent) => agent.phase === phase);
}

/** Adds an agent that is free for its first task. */
export async function addAgent(tx: Tx, agent: Pick<AgentRow, 'name' | 'idx' | 'phase' | 'kind' | 'worktree'>, now: number) {
  await tx
    .insertInto('agent')
    .values({ ...agent, state: 'idle', attempt: null, paused: 0, port: 0, since: now })
    .execute();
}

/** A copied repository has no working agents: those of the original go on there. */
export async function forsakeAgents(tx: Tx, now: number): Promise<void> {
  await tx.updateTable('agent').set({ attempt: null, state: 'stopped', since: now }).execute();
}

export async function pauseAgent(tx: Tx, name: string, paused: boolean): Promise<void> {
  await changeAgent(tx, { paused: paused ? 1 : 0 }, { name });
}

/** Notes the ports and the database name that the registry gave it. */
export async function placeAgent(tx: Tx, name: string, given: { readonly port: number; readonly database: string }): Promise<void> {
  await changeAgent(tx, given, { name });
}

export async function moveAgent(tx: Tx, name: string, worktree: string): Promise<void> {
  await changeAgent(tx, { worktree }, { name });
}

/** The agent a person means: by its name, or by its number (`2`, `agent-2`); one in a phase that is worked on goes first. */
export async function agentNamed(db: Db | Tx, name: string): Promise<Agent> {
  const number = /^(?:agent-)?(\d{1,9})$/.exec(name)?.[1];
  const rows = (await agentsOf(db)).filter((one) => one.name === name || (number !== undefined && one.idx === Number(number)));
  const active = new Set((await openWork(db)).map((one) => one.phase));
  const atWork = rows.filter((one) => one.name === name || active.has(one.phase));
  const found = atWork.length > 0 ? atWork : rows;
  if (found.length > 1)
    throw new FurrowError('WHICH_AGENT', `several phases have an agent ${name}`, {
      hint: `say ${found.map((one) => one.name).join(' or ')}`,
    });
  const [row] = found;
  if (!row) throw new FurrowError('NO_AGENT', `there is no agent ${name}`, { hint: 'furrow status' });
  return row;
}
