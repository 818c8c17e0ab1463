import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { keptRows } from '../../src/journal/kept-rows.ts';
import { type Db, openStore, writeMeta } from '../../src/journal/store.ts';

async function stores() {
  const dir = mkdtempSync(join(tmpdir(), 'furrow-kept-'));
  const file = join(dir, 'store.db');
  const [db, other] = [await openStore(file), await openStore(file)];
  onTestFinished(async () => {
    await Promise.all([db.destroy(), other.destroy()]);
    rmSync(dir, { recursive: true });
  });
  return { db, other };
}

/** Asks for the values of two tables at once, and counts how often the store is read for it. */
function counted() {
  const rows = keptRows<{ key: string; value: string }>('meta', 'notice');
  const seen = { reads: 0 };
  const ask = async (db: Db, like: string) => {
    const read = () => {
      seen.reads++;
      return db.selectFrom('meta').selectAll().where('key', 'like', like).orderBy('key').execute();
    };
    return (await rows(db, read, like)).map(({ value }) => value);
  };
  return { ask, seen };
}

it('rows that are kept are read again after a write to any of their tables, by anybody, and for each question by itself', async () => {
  const { db, other } = await stores();
  const { ask, seen } = counted();
  await writeMeta(db, 'a1', 'one');
  expect([await ask(db, 'a%'), await ask(db, 'a%'), await ask(db, 'b%'), seen.reads]).toEqual([['one'], ['one'], [], 2]);
  await writeMeta(other, 'a2', 'two');
  // What another process writes is heard of in a later turn of the event loop.
  await setImmediate();
  expect([await ask(db, 'a%'), await ask(db, 'a%'), seen.reads]).toEqual([['one', 'two'], ['one', 'two'], 3]);
  await db.deleteFrom('notice').execute();
  expect([await ask(db, 'a%'), seen.reads]).toEqual([['one', 'two'], 4]);
});

it('a transaction reads for itself, and what it took back is not kept', async () => {
  const { db } = await stores();
  const { ask } = counted();
  const failed = db.transaction().execute(async (tx) => {
    await writeMeta(tx, 'a1', 'one');
    expect(await ask(tx as unknown as Db, 'a%')).toEqual(['one']);
    throw new Error('taken back');
  });
  await expect(failed).rejects.toThrow('taken back');
  expect(await ask(db, 'a%')).toEqual([]);
});

it('nobody can change a row that was kept, and each caller has a list of their own', async () => {
  const { db } = await stores();
  const rows = keptRows<{ key: string; value: string }>('meta');
  await writeMeta(db, 'a', 'one');
  const read = () => rows(db, () => db.selectFrom('meta').selectAll().where('key', '=', 'a').orderBy('key').execute());
  const mine = await read();
  expect(() => Object.assign(mine[0]!, { value: 'changed' })).toThrow(TypeError);
  mine.pop();
  expect((await read())[0]!.value).toBe('one');
});

it('the answers to a hundred questions are kept, while the tables stay the same for months', async () => {
  const { db } = await stores();
  const { ask, seen } = counted();
  for (let n = 0; n <= 100; n++) await ask(db, `${n}%`);
  expect([await ask(db, '100%'), seen.reads]).toEqual([[], 101]);
  expect([await ask(db, '0%'), seen.reads]).toEqual([[], 102]);
});
