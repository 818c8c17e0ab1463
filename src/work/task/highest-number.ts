import { type Db, readMeta, type Tx, writeMeta } from '../../journal/store.ts';
import { splitRef } from './id.ts';
import { leadingNumber } from './number.ts';

const KEY = 'board.highest';

/** The highest number that any task of this store ever had; on an old branch the board itself does not know it. */
export async function highestNumber(db: Db | Tx): Promise<number> {
  const noted = await readMeta(db, KEY);
  if (noted !== undefined) return Number(noted);
  // A store of an earlier version: what it still knows of tasks that were worked on.
  const attempts = await db.selectFrom('attempt').select('task').distinct().orderBy('task').execute();
  const tasks = await db.selectFrom('task').select('id').orderBy('ref').execute();
  return highest([...attempts.map((row) => splitRef(row.task).id), ...tasks.map((row) => row.id)]);
}

export async function noteNumbers(tx: Tx, ids: readonly string[]): Promise<void> {
  const before = await highestNumber(tx);
  const now = Math.max(before, highest(ids));
  if (now > before || (await readMeta(tx, KEY)) === undefined) await writeMeta(tx, KEY, String(now));
}

const highest = (ids: readonly string[]) => ids.reduce((most, id) => Math.max(most, leadingNumber(id)), 0);
