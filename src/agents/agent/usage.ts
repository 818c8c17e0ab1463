import { sql } from 'kysely';
import { keptRows } from '../../journal/kept-rows.ts';
import type { Db, Tx } from '../../journal/store.ts';
import type { Usage } from './event.ts';

/** The use of one conversation of an attempt in all so far. `usd`: null when nobody knows what it cost. */
export interface ConversationUsage {
  readonly attempt: number;
  readonly session: string;
  readonly usage: Usage;
  readonly usd: number | null;
}

/** Stores the total that a conversation has used; an older figure never replaces a newer one. */
export async function writeUsage(tx: Db | Tx, { attempt, session, usage, usd }: ConversationUsage, now: number): Promise<void> {
  const known = await tx.selectFrom('usage').selectAll().where('attempt', '=', attempt).where('session', '=', session).executeTakeFirst();
  const row = {
    input: usage.input,
    output: usage.output,
    cache_read: usage.cacheRead,
    cache_write: usage.cacheWrite,
    micros: usd === null ? (known?.micros ?? null) : Math.max(Math.round(usd * 1e6), known?.micros ?? 0),
    model: usage.model ?? null,
    at: now,
  };
  const total = (one: { input: number; output: number; cache_read: number; cache_write: number }) =>
    one.input + one.output + one.cache_read + one.cache_write;
  if (known && total(known) > total(row)) return;
  await tx
    .insertInto('usage')
    .values({ attempt, session, ...row })
    .onConflict((c) => c.columns(['attempt', 'session']).doUpdateSet(row))
    .execute();
}

/** The costs of attempts, in millionths of a US dollar: those at one task, and those of any task since a time. */
export async function attemptCosts(db: Db, task: string, since: number): Promise<{ task: string; started: number; micros: number }[]> {
  const rows = await db
    .selectFrom('usage')
    .innerJoin('attempt', 'attempt.id', 'usage.attempt')
    .select(['attempt.task', 'attempt.started', (e) => e.fn.sum<number>('usage.micros').as('micros')])
    .where((e) => e.or([e('attempt.task', '=', task), e('attempt.started', '>=', since)]))
    .groupBy(['attempt.task', 'attempt.id'])
    .orderBy('attempt.id')
    .execute();
  return rows.map((row) => ({ ...row, micros: Number(row.micros ?? 0) }));
}

/** Every `furrow status` asks, and an agent tells of its use once a turn. */
const sums = keptRows<{ micros: number; tokens: number }>('usage', 'attempt');

/** The sums of all attempts since a time. */
export async function usedSince(db: Db, since: number): Promise<{ micros: number; tokens: number }> {
  const read = async () => {
    const row = await db
      .selectFrom('usage')
      .innerJoin('attempt', 'attempt.id', 'usage.attempt')
      .select([
        (e) => e.fn.sum<number>('usage.micros').as('micros'),
        sql<number>`sum(usage.input + usage.output + usage.cache_read + usage.cache_write)`.as('tokens'),
      ])
      .where('attempt.started', '>=', since)
      .executeTakeFirst();
    return row ? [row] : [];
  };
  const [row] = await sums(db, read, String(since));
  return { micros: Number(row?.micros ?? 0), tokens: Number(row?.tokens ?? 0) };
}

/** Every conversation's use, with its attempt and task, in the order of the attempts. */
export async function allUsage(db: Db) {
  return db
    .selectFrom('usage')
    .innerJoin('attempt', 'attempt.id', 'usage.attempt')
    .innerJoin('task', 'task.ref', 'attempt.task')
    .select(['attempt.agent', 'attempt.kind', 'attempt.n', 'task.ref', 'task.title', 'task.standing', 'attempt.started'])
    .select(['usage.input', 'usage.output', 'usage.cache_read', 'usage.cache_write', 'usage.micros', 'usage.model', 'usage.at'])
    .orderBy('attempt.id')
    .orderBy('usage.session')
    .execute();
}

/** The cost of some tasks, by ref: US dollars, null where nobody knows, and tokens. A task without any use is missing. */
export async function costsOf(db: Db | Tx, refs: readonly string[]): Promise<Map<string, { usd: number | null; tokens: number }>> {
  if (refs.length === 0) return new Map();
  const rows = await db
    .selectFrom('usage')
    .innerJoin('attempt', 'attempt.id', 'usage.attempt')
    .select(['attempt.task', (e) => e.fn.sum<number | null>('usage.micros').as('micros')])
    .select(sql<number>`sum(usage.input + usage.output + usage.cache_read + usage.cache_write)`.as('tokens'))
    .where('attempt.task', 'in', refs)
    .groupBy('attempt.task')
    .orderBy('attempt.task')
    .execute();
  return new Map(rows.map(({ task, micros, tokens }) => [task, { usd: micros === null ? null : micros / 1e6, tokens: Number(tokens) }]));
}
