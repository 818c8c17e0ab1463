import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import fc from 'fast-check';
import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { type Act, carryOut, intend, openIntents } from '../../src/journal/act.ts';
import { append } from '../../src/journal/event.ts';
import {
  type Db,
  forgetMeta,
  migrate,
  migrations,
  openAsIs,
  openStore,
  readMeta,
  SCHEMA,
  type Tx,
  writeMeta,
} from '../../src/journal/store.ts';
import { tableVersion } from '../../src/platform/engine/counted.ts';
import { openQuestions, raiseQuestion } from '../../src/work/question/store.ts';
import { newStore } from '../support/store.ts';

async function store() {
  const dir = await mkdtemp(join(tmpdir(), 'furrow-store-'));
  const file = join(dir, 'store.db');
  const db = await openStore(file);
  const dispose = async () => {
    await db.destroy();
    await rm(dir, { recursive: true });
  };
  return { db, file, [Symbol.asyncDispose]: dispose };
}

const seqs = async (db: Db) => (await db.selectFrom('event').select('seq').orderBy('seq').execute()).map((row) => row.seq);

describe('events', () => {
  it('are numbered without gaps, whatever is rolled back in between', async () => {
    await using at = await newStore();
    await fc.assert(
      fc.asyncProperty(fc.array(fc.boolean(), { maxLength: 12 }), async (commits) => {
        await at.db.deleteFrom('event').execute();
        for (const commit of commits) {
          const one = at.db.transaction().execute(async (tx) => {
            await append(tx, { kind: 'agent.progress', text: 'x' }, 0);
            if (!commit) throw new Error('rolled back');
          });
          await one.catch(() => {});
        }
        const kept = commits.filter(Boolean).length;
        expect(await seqs(at.db)).toEqual(Array.from({ length: kept }, (_, n) => n + 1));
      }),
      { numRuns: 30 },
    );
  });
});

it('what was read from a table is read again after a write of this connection, of another, and after a rollback', async () => {
  await using at = await store();
  const other = await openStore(at.file);
  const version = () => tableVersion(at.db, 'meta');
  const grows = async (act: () => Promise<unknown>) => {
    const before = version();
    await act().catch(() => {});
    return version() > before;
  };
  const write = (db: Db | Tx, key: string) => writeMeta(db, key, '1');
  expect(await grows(() => write(at.db, 'own'))).toBe(true);
  expect(await grows(() => write(other, 'of another').then(() => setImmediate()))).toBe(true);
  const undone = at.db.transaction();
  expect(await grows(() => undone.execute(async (tx) => Promise.reject(await write(tx, 'undone'))))).toBe(true);
  expect(await grows(() => readMeta(at.db, 'own'))).toBe(false);
  await other.destroy();
});

it('what is kept of a table follows every write, and none that was taken back', async () => {
  await using at = await store();
  const { db } = at;
  const other = await openStore(at.file);
  const kept = async () => [await readMeta(db, 'a'), await readMeta(db, 'a')];
  expect(await kept()).toEqual([undefined, undefined]);
  await writeMeta(db, 'a', '1');
  expect(await kept()).toEqual(['1', '1']);
  const undone = db.transaction().execute(async (tx) => {
    await writeMeta(tx, 'a', '2');
    const beside = readMeta(db, 'a');
    expect(await readMeta(tx, 'a')).toBe('2');
    throw Object.assign(new Error('taken back'), { beside });
  });
  const { beside } = await undone.then(
    () => ({ beside: undefined }),
    (error: { beside: Promise<string | undefined> }) => error,
  );
  expect([await beside, ...(await kept())]).toEqual(['1', '1', '1']);
  await writeMeta(other, 'a', '3');
  // What another process writes is heard of in a later turn of the event loop.
  await setImmediate();
  expect(await kept()).toEqual(['3', '3']);
  await sql`update meta set value = '4' where key = 'a'`.execute(db);
  expect(await kept()).toEqual(['4', '4']);
  await db.transaction().execute((tx) => forgetMeta(tx, 'a'));
  expect(await kept()).toEqual([undefined, undefined]);
  await other.destroy();
});

it('nobody can change the rows that were kept', async () => {
  await using at = await newStore();
  await at.db.transaction().execute((tx) => raiseQuestion(tx, { kind: 'parked', subject: 'default/1', reason: 'why' }, 1));
  const ask = () => openQuestions(at.db, { kinds: ['parked'], subject: 'default/1' });
  const [row] = await ask();
  expect(() => Object.assign(row!, { reason: 'another' })).toThrow(TypeError);
  expect(await ask()).toMatchObject([{ reason: 'why' }]);
  expect([await openQuestions(at.db, { kinds: [] }), await openQuestions(at.db, { agent: 'ada' })]).toEqual([[], []]);
});

describe('an act', () => {
  /** A world of one number, and an act that must not add to it twice. */
  const world = () => {
    const seen = { value: 0, runs: 0 };
    const act: Act<{ to: number }, { value: number }> = {
      kind: 'test.set',
      probe: async ({ to }) => (seen.value === to ? { value: to } : undefined),
      run: async ({ to }) => {
        seen.runs++;
        seen.value = to;
        return { value: to };
      },
      finish: async (tx, args, result, now) => append(tx, { kind: 'check.ended', text: `${args.to} ${result.value}` }, now),
      failed: async (tx, _args, error, now) => append(tx, { kind: 'act.failing', text: error.message }, now),
    };
    return { seen, act };
  };

  it('is committed as open before it is done, and closed with its result', async () => {
    await using at = await newStore();
    const { act } = world();
    const intent = await intend(at.db, act, 'k', { to: 5 }, 0);
    expect(await openIntents(at.db)).toEqual([intent]);
    await carryOut(at.db, act, intent, false, () => 1);
    expect(await openIntents(at.db)).toEqual([]);
    expect(await seqs(at.db)).toEqual([1]);
  });

  it('is not done again when the world says that it was done before the crash', async () => {
    await using at = await newStore();
    const { act, seen } = world();
    const intent = await intend(at.db, act, 'k', { to: 5 }, 0);
    await act.run({ to: 5 });
    await carryOut(at.db, act, intent, true, () => 1);
    expect(seen.runs).toBe(1);
  });

  it('is finished once, though two recoveries take it up', async () => {
    await using at = await newStore();
    const { act } = world();
    const intent = await intend(at.db, act, 'k', { to: 5 }, 0);
    await Promise.all([carryOut(at.db, act, intent, true, () => 1), carryOut(at.db, act, intent, true, () => 1)]);
    expect(await seqs(at.db)).toEqual([1]);
  });

  it('stores what its failure means, and ends', async () => {
    await using at = await newStore();
    const { act } = world();
    const broken = { ...act, run: () => Promise.reject(new Error('no room')) };
    const intent = await intend(at.db, broken, 'k', { to: 5 }, 0);
    await expect(carryOut(at.db, broken, intent, false, () => 1)).rejects.toThrow('no room');
    expect(await openIntents(at.db)).toEqual([]);
    expect((await at.db.selectFrom('event').selectAll().execute()).map((row) => row.kind)).toEqual(['act.failing']);
  });
});

describe('migrations', () => {
  it('each has a data file, and is applied to a store that holds the data of the one before', async () => {
    await using at = await store();
    await at.db.destroy();
    await rm(at.file);
    const { openSqlite } = await import('../../src/platform/engine/sqlite.ts');
    const db = openSqlite<never>(at.file) as unknown as Db;
    for (let version = SCHEMA - migrations.length + 1; version <= SCHEMA; version++) {
      await migrate(db, version);
      const data = await readFile(new URL(`./data/${String(version).padStart(3, '0')}.sql`, import.meta.url), 'utf8');
      for (const statement of data.split(';\n').filter((text) => text.trim())) await sql.raw(statement).execute(db);
    }
    const { rows } = await sql<{ integrity_check: string }>`pragma integrity_check`.execute(db);
    expect(rows).toEqual([{ integrity_check: 'ok' }]);
    expect((await db.selectFrom('task').select('ref').execute()).length).toBeGreaterThan(0);
    await db.destroy();
  });

  it('refuse a store of a newer furrow', async () => {
    await using at = await store();
    await at.db.updateTable('meta').set({ value: '99' }).where('key', '=', 'schema').execute();
    await expect(openStore(at.file)).rejects.toMatchObject({ code: 'STORE_TOO_NEW' });
  });

  it('refuse a store of an early furrow, which stays as it is', async () => {
    await using at = await store();
    await writeMeta(at.db, 'schema', '14');
    await expect(openStore(at.file)).rejects.toMatchObject({ code: 'STORE_BROKEN', message: expect.stringContaining('an early furrow') });
    expect(await readMeta(at.db, 'schema')).toBe('14');
  });

  it('are left to a daemon by whoever opens the store as it is: an older one stays as it was', async () => {
    await using at = await store();
    await at.db
      .updateTable('meta')
      .set({ value: String(SCHEMA - 1) })
      .where('key', '=', 'schema')
      .execute();
    expect(await openAsIs(at.file)).toBeUndefined();
    expect(await readMeta(at.db, 'schema')).toBe(String(SCHEMA - 1));
    expect(existsSync(`${at.file}.before-${SCHEMA}`)).toBe(false);
    await at.db
      .updateTable('meta')
      .set({ value: String(SCHEMA) })
      .where('key', '=', 'schema')
      .execute();
    const db = await openAsIs(at.file);
    expect(db && (await readMeta(db, 'schema'))).toBe(String(SCHEMA));
    await db?.destroy();
  });
});
