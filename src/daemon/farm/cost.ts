import { allUsage, attemptCosts, usedSince } from '../../agents/agent/usage.ts';
import type { Out } from '../../api/contract.ts';
import { type Db, readMeta, type Tx, writeMeta } from '../../journal/store.ts';
import { openWork } from '../../work/store.ts';
import { splitRef } from '../../work/task/id.ts';
import type { Farm } from './farm.ts';

/** The cost of the present work and of one of its tasks, in US dollars. */
export async function spent(farm: Farm, task: string): Promise<{ usd: number; task: number }> {
  const since = await runStart(farm);
  const rows = await attemptCosts(farm.db, task, since);
  const sum = (of: typeof rows) => of.reduce((total, row) => total + row.micros, 0) / 1e6;
  return { usd: sum(rows.filter((row) => row.started >= since)), task: sum(rows.filter((row) => row.task === task)) };
}

/**
 * A run begins with a `furrow work` while nothing else is active, with the budget of the configuration; a second `furrow work` joins it.
 */
export async function beginRun(tx: Tx, now: number): Promise<void> {
  if ((await openWork(tx)).length > 0) return;
  await writeMeta(tx, 'run.start', String(now));
  await writeMeta(tx, 'budget.run', '');
}

const runStart = async (farm: Farm) => Number((await readMeta(farm.db, 'run.start')) ?? 0);

/** The budget limits that a person agreed to in an answer. */
export async function allowance(db: Db | Tx, task: string): Promise<{ run?: number; task?: number }> {
  const run = await readMeta(db, 'budget.run');
  const own = await readMeta(db, `budget.task.${task}`);
  return { ...(run && { run: Number(run) }), ...(own && { task: Number(own) }) };
}

export async function totals(farm: Farm): Promise<{ usd: number; tokens: number }> {
  const { micros, tokens } = await usedSince(farm.db, await runStart(farm));
  return { usd: micros / 1e6, tokens };
}

const iso = (at: number) => new Date(at).toISOString();

/** Every attempt's cost, by task, by agent and over time. */
export async function costs(farm: Farm): Promise<Out<'cost'>> {
  const rows = await allUsage(farm.db);
  const since = await runStart(farm);
  const add = (of: typeof rows) => ({
    usd: of.reduce((sum, row) => sum + (row.micros ?? 0), 0) / 1e6,
    /** Some of it has no price. */
    partial: of.some((row) => row.micros === null),
    tokens: of.reduce((sum, row) => sum + row.input + row.output + row.cache_read + row.cache_write, 0),
    input: of.reduce((sum, row) => sum + row.input, 0),
    output: of.reduce((sum, row) => sum + row.output, 0),
    cached: of.reduce((sum, row) => sum + row.cache_read + row.cache_write, 0),
  });
  const by = <K extends 'ref' | 'agent'>(key: K) => [...Map.groupBy(rows, (row) => row[key])];
  return {
    total: add(rows),
    run: add(rows.filter((row) => row.started >= since)),
    tasks: by('ref').map(([ref, of]) => ({
      id: splitRef(ref).id,
      phase: splitRef(ref).phase,
      title: of[0]!.title,
      landed: of[0]!.standing === 'landed',
      attempts: [...Map.groupBy(of, (row) => row.n)].map(([n, one]) => ({ n, agent: one[0]!.agent, ...add(one) })),
      ...add(of),
    })),
    agents: by('agent').map(([name, of]) => ({ name, kind: of.at(-1)!.kind, ...add(of) })),
    spans: rows.map((row) => {
      const { usd, tokens } = add([row]);
      const named = { id: splitRef(row.ref).id, phase: splitRef(row.ref).phase, agent: row.agent, attempt: row.n };
      return { ...named, from: iso(row.started), to: iso(Math.max(row.at, row.started)), usd, tokens };
    }),
  };
}
