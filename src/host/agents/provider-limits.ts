import type { Farm } from '../../farm/farm.ts';
import { append } from '../../journal/event.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { limitedProviders, noteLimit, type ProviderLimit, served } from '../../provider/limit.ts';
import type { RunningAttempt } from './running.ts';

/** A limit of one agent holds for all of its provider: nobody else is started on it before it ends. Answers when that is. */
export async function noteProviderLimit(
  farm: Farm,
  running: RunningAttempt,
  event: { text: string; until?: number },
): Promise<number | undefined> {
  const { provider } = running.driver;
  if (!provider) return undefined;
  const now = farm.clock.now();
  return farm.db.transaction().execute(async (tx) => {
    const known = await readLimits(tx);
    const before = limitedProviders(known, now).get(provider);
    const after = noteLimit(known, { provider, until: event.until ?? null, at: now, text: event.text });
    const limit = after.find((one) => one.provider === provider)!;
    await write(tx, limit);
    const until = limitedProviders(after, now).get(provider)?.until;
    // One event for a limit that hits several agents at once.
    if (before || until === undefined) return until;
    const text = `${provider} limits requests until ${new Date(until).toISOString().slice(11, 16)}: ${event.text}`;
    await append(tx, { kind: 'provider.limited', agent: running.agent, text, data: { provider, until } }, now);
    return until;
  });
}

/** An agent that was refused is at work again: the others need not wait any longer than it did. */
export async function noteServed(farm: Farm, running: RunningAttempt): Promise<void> {
  const { provider } = running.driver;
  if (!provider) return;
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    const known = await readLimits(tx);
    const after = served(known, provider, now).find((one) => one.provider === provider);
    if (!after || !limitedProviders(known, now).has(provider) || after.until > now) return;
    await write(tx, after);
    await append(
      tx,
      { kind: 'provider.served', agent: running.agent, text: `${provider} accepts requests again`, data: { provider } },
      now,
    );
  });
}

export async function limitsNow(farm: Farm): Promise<ReadonlyMap<string, { until: number; text: string }>> {
  return limitedProviders(await readLimits(farm.db), farm.clock.now());
}

async function write(tx: Tx, limit: ProviderLimit): Promise<void> {
  const row = { ...limit, stated: limit.stated ? 1 : 0 };
  await tx
    .insertInto('provider_limit')
    .values(row)
    .onConflict((c) => c.column('provider').doUpdateSet(row))
    .execute();
}

async function readLimits(db: Db | Tx): Promise<ProviderLimit[]> {
  const rows = await db.selectFrom('provider_limit').selectAll().execute();
  return rows.map((row) => ({ ...row, stated: row.stated === 1 }));
}
