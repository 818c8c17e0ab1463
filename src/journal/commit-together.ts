import { sql } from 'kysely';
import type { Db, Tx } from './store.ts';

interface Waiting {
  readonly work: (tx: Tx) => Promise<unknown>;
  readonly done: (value: unknown) => void;
  readonly failed: (error: unknown) => void;
}

interface Group {
  waiting: Waiting[];
  running: boolean;
}

const groups = new WeakMap<Db, Group>();
/** So many at a time: a person who looks at the farm reads between two commits, some forty times, and with 100 of them waited for a minute. */
const MOST = 10;

/**
 * A transaction that may share its commit with others that were asked for at the same time. Each is all or nothing by itself, and answers
 * when it is on the disk. With a hundred agents that talk at once the disk was half of all time: one commit waited for another.
 */
export function commitTogether<T>(db: Db, work: (tx: Tx) => Promise<T>): Promise<T> {
  const group = groups.get(db) ?? { waiting: [], running: false };
  groups.set(db, group);
  return new Promise<T>((done, failed) => {
    group.waiting.push({ work, done: done as (value: unknown) => void, failed });
    if (!group.running) void run(db, group);
  });
}

async function run(db: Db, group: Group): Promise<void> {
  group.running = true;
  while (group.waiting.length > 0) {
    // Those who call in the same turn of the event loop come along.
    await new Promise((turn) => setImmediate(turn));
    const some = group.waiting.splice(0, MOST);
    const ends = await db
      .transaction()
      .execute((tx) => each(tx, some))
      .catch((error: unknown) =>
        some.map(
          ({ failed }) =>
            () =>
              failed(error),
        ),
      );
    for (const end of ends) end();
  }
  group.running = false;
}

/** Does one after the other, and answers what each of them is to be told after the commit. */
async function each(tx: Tx, some: readonly Waiting[]): Promise<(() => void)[]> {
  const ends: (() => void)[] = [];
  if (some.length === 1) return [await some[0]!.work(tx).then((value) => () => some[0]!.done(value))];
  for (const { work, done, failed } of some) {
    await sql`savepoint one`.execute(tx);
    try {
      const value = await work(tx);
      ends.push(() => done(value));
    } catch (error) {
      // Where a full disk has taken back the whole transaction, this fails, and so do all of them.
      await sql`rollback to one`.execute(tx);
      ends.push(() => failed(error));
    }
    await sql`release one`.execute(tx);
  }
  return ends;
}
