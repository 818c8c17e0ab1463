import type { Selectable } from 'kysely';
import { keptRows } from '../../journal/kept-rows.ts';
import type { NoticeRow } from '../../journal/schema.ts';
import type { Db, Tx } from '../../journal/store.ts';
import type { Channel, Item, Told } from './rule.ts';

/** The channel of a row that is the item itself, and no message of it. */
const ITEM = '';

type Row = Selectable<NoticeRow>;

/** Notes something to be told that is over as soon as it has happened: a work that finished. A question is an item by itself while it is open. */
export async function owe(tx: Tx, { id, kind, subject, text, at }: Item): Promise<void> {
  const row = { item: id, channel: ITEM, state: 'owed', key: kind, subject, text, at };
  await tx
    .insertInto('notice')
    .values(row)
    .onConflict((c) => c.columns(['item', 'channel']).doNothing())
    .execute();
}

/** Rows are read by the hour, so that they can be kept: each tick asks for those since another millisecond. */
const HOUR_MS = 3600_000;

const noted = keptRows<Row>('notice');
const messages = keptRows<Pick<Row, 'item' | 'channel' | 'state' | 'key'>>('notice');

/** Things to be told that were noted since a time, the oldest first. */
export async function owed(db: Db | Tx, since: number): Promise<Item[]> {
  const hour = Math.floor(since / HOUR_MS) * HOUR_MS;
  const read = () =>
    db.selectFrom('notice').selectAll().where('channel', '=', ITEM).where('at', '>=', hour).orderBy('at').orderBy('item').execute();
  const rows = (await noted(db, read, String(hour))).filter(({ at }) => at >= since);
  return rows.map(({ item, key, subject, text, at }) => ({ id: item, kind: key as Item['kind'], subject, text, at }));
}

/** The messages about these items: told, being told, or failed. */
export async function toldOf(db: Db | Tx, items: readonly string[]): Promise<Told[]> {
  if (items.length === 0) return [];
  const read = () =>
    db
      .selectFrom('notice')
      .select(['item', 'channel', 'state', 'key'])
      .where('channel', '!=', ITEM)
      .where('item', 'in', items)
      .orderBy('at')
      .orderBy('item')
      .execute();
  return (await messages(db, read, JSON.stringify(items))) as Told[];
}

/** A message begins. `false`: some of its items were told by this channel meanwhile, or are being told; then nothing is written. */
export async function beginNotice(tx: Tx, channel: Channel, key: string, items: readonly string[], now: number): Promise<boolean> {
  const before = (await toldOf(tx, items)).filter((one) => one.channel === channel);
  if (before.some(({ state, key: of }) => state !== 'failed' || of !== key)) return false;
  for (const item of items) {
    const row = { item, channel, state: 'begun', key, subject: '', text: '', at: now };
    await tx
      .insertInto('notice')
      .values(row)
      .onConflict((c) => c.columns(['item', 'channel']).doUpdateSet({ state: 'begun' }))
      .execute();
  }
  return true;
}

/** The message has ended: it was told, or failed and is tried again. */
export async function endNotice(tx: Tx, channel: Channel, key: string, state: 'told' | 'failed'): Promise<void> {
  await tx
    .updateTable('notice')
    .set({ state })
    .where('channel', '=', channel)
    .where('key', '=', key)
    .where('state', '=', 'begun')
    .execute();
}

/** Deletes up to `most` notices of before a time. Answers how many it deleted. */
export async function pruneNotices(db: Db, before: number, most: number): Promise<number> {
  const old = db.selectFrom('notice').select('id').where('at', '<', before).orderBy('id').limit(most);
  return Number((await db.deleteFrom('notice').where('id', 'in', old).executeTakeFirst()).numDeletedRows);
}
