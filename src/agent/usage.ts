import type { Db, Tx } from '../journal/store.ts';
import type { Usage } from './event.ts';

/** The use of one conversation of an attempt in all so far. `usd`: null when nobody knows what it cost. */
export interface ConversationUsage {
  readonly attempt: number;
  readonly session: string;
  readonly usage: Usage;
  readonly usd: number | null;
}

/** Stores what a conversation has used in all; an older figure never replaces a newer one. */
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
