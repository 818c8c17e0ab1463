import type { Db, Tx } from '../../journal/store.ts';
import { readMeta, writeMeta } from '../../journal/store.ts';
import { added, type Counts, without } from './counts.ts';

/** Figures of rows that retention has deleted. A counter that decreases would look like a new farm. */
const KEPT = 'metrics.kept';
const SINCE = 'metrics.since';

export async function keptCounts(db: Db | Tx): Promise<Counts> {
  return new Map(Object.entries(JSON.parse((await readMeta(db, KEPT)) ?? '{}') as Record<string, number>));
}

/** Deletes rows, and keeps in the same transaction what they counted. Answers how many it deleted. */
export function keeping(db: Db, count: (tx: Tx) => Promise<Counts>, remove: (tx: Tx) => Promise<number>): Promise<number> {
  return db.transaction().execute(async (tx) => {
    const before = await count(tx);
    const gone = await remove(tx);
    if (gone === 0) return 0;
    const kept = added(await keptCounts(tx), without(before, await count(tx)));
    await writeMeta(tx, KEPT, JSON.stringify(Object.fromEntries(kept)));
    return gone;
  });
}

/** Since when this store counts: the same after every restart, so that nobody takes a restart for a new beginning. */
export async function countsSince(db: Db, now: number): Promise<number> {
  const known = await readMeta(db, SINCE);
  if (known !== undefined) return Number(known);
  const first = await db.selectFrom('event').select('at').orderBy('seq').limit(1).executeTakeFirst();
  const since = Math.min(now, first?.at ?? now);
  await writeMeta(db, SINCE, String(since));
  return since;
}
