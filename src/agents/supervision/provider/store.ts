import type { Selectable } from 'kysely';
import { append } from '../../../journal/event.ts';
import { keptRows } from '../../../journal/kept-rows.ts';
import type { ProviderLimitRow } from '../../../journal/schema.ts';
import { statement } from '../../../journal/statement.ts';
import type { Db, Tx } from '../../../journal/store.ts';
import { holds, type ProviderEvent, type ProviderLimit, step } from './state.ts';

/** An agent that its provider refused. */
export interface Refusal {
  readonly provider: string;
  readonly agent: string;
  /** The end of the limit, when the provider names it. */
  readonly until: number | null;
  readonly text: string;
}

/** A limit of one agent holds for all of its provider: nobody else is started on it before it ends. Answers when that is. */
export async function noteRefusal(tx: Tx, { provider, agent, until, text }: Refusal, now: number): Promise<number | undefined> {
  const before = await readLimit(tx, provider);
  const after = await write(tx, before, { on: 'refused', provider, until, text, at: now });
  if (!holds(after, now)) return undefined;
  // One event for a limit that hits several agents at once.
  if (holds(before, now)) return after.until;
  const said = `${provider} limits requests until ${new Date(after.until).toISOString().slice(11, 16)}: ${text}`;
  await append(tx, { kind: 'provider.limited', agent, text: said, data: { provider, until: after.until } }, now);
  return after.until;
}

/** An agent that was refused is at work again: the others need not wait any longer than it did. */
export async function noteServed(tx: Tx, provider: string, agent: string, now: number): Promise<void> {
  const after = await write(tx, await readLimit(tx, provider), { on: 'served', at: now });
  if (!after) return;
  await append(tx, { kind: 'provider.served', agent, text: `${provider} accepts requests again`, data: { provider } }, now);
}

const limits = keptRows<Selectable<ProviderLimitRow>>('provider_limit');

const inOrder = statement((db) => db.selectFrom('provider_limit').selectAll().orderBy('provider').compile());

/** The limits that hold now, by provider. */
export async function limitsNow(db: Db | Tx, now: number): Promise<ReadonlyMap<string, { until: number; text: string }>> {
  const all = await limits(db, async () => (await inOrder(db, {})).rows);
  const rows = all.filter(({ until }) => until > now);
  return new Map(rows.map(({ provider, until, text }) => [provider, { until, text }]));
}

async function readLimit(tx: Tx, provider: string): Promise<ProviderLimit | undefined> {
  const row = await tx.selectFrom('provider_limit').selectAll().where('provider', '=', provider).executeTakeFirst();
  return row && { ...row, stated: row.stated === 1 };
}

async function write(tx: Tx, before: ProviderLimit | undefined, event: ProviderEvent): Promise<ProviderLimit | undefined> {
  const after = step(before, event);
  if (!after) return undefined;
  const row = { ...after, stated: after.stated ? 1 : 0 };
  await tx
    .insertInto('provider_limit')
    .values(row)
    .onConflict((c) => c.column('provider').doUpdateSet(row))
    .execute();
  return after;
}
