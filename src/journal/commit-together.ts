import { CompiledQuery } from 'kysely';
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

const [SAVE, BACK, RELEASE] = ['savepoint one', 'rollback to one', 'release one'].map((text) => CompiledQuery.raw(text)) as [
  CompiledQuery,
  CompiledQuery,
  CompiledQuery,
];

const groups = new WeakMap<Db, Group>();
/**
 * The most in one commit: a person's look at the farm reads some forty times between commits, and with 100 at a time waited for a minute.
 */
const MOST = 10;

/**
 * Runs a transaction that may share its commit with others asked for at the same time. Each is all or nothing by itself, and answers when
 * it is on the disk. With a hundred agents that talk at once, commits that waited for the disk took half of all time.
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
    // Calls in the same turn of the event loop join this commit.
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

/** Runs them one after the other, and returns the answers to give after the commit. */
async function each(tx: Tx, some: readonly Waiting[]): Promise<(() => void)[]> {
  const ends: (() => void)[] = [];
  if (some.length === 1) return [await some[0]!.work(tx).then((value) => () => some[0]!.done(value))];
  for (const { work, done, failed } of some) {
    await tx.executeQuery(SAVE);
    try {
      const value = await work(tx);
      ends.push(() => done(value));
    } catch (error) {
      // When a full disk has rolled back the whole transaction, this fails, and so do all of them.
      await tx.executeQuery(BACK);
      ends.push(() => failed(error));
    }
    await tx.executeQuery(RELEASE);
  }
  return ends;
}
