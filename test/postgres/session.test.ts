import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { append, eventsAfter } from '../../src/journal/event.ts';
import { type Db, openOnPostgres, readMeta, writeMeta } from '../../src/journal/store.ts';
import { judge } from '../../src/platform/engine/postgres/durability.ts';
import { type Lead, takeLead } from '../../src/platform/engine/postgres/lead.ts';
import type { SessionWatch } from '../../src/platform/engine/postgres/one-session.ts';
import { ask, prepare } from '../../src/platform/engine/postgres/open.ts';
import { type PostgresPlace, postgresPlace, schemaOf, secretsOf } from '../../src/platform/engine/postgres/place.ts';
import { newSchema } from '../support/engines.ts';
import { newStore } from '../support/store.ts';
import { wireTo } from '../support/wire.ts';

const QUIET: SessionWatch = { away() {}, back() {}, over() {} };

async function lead(place: PostgresPlace, name = 'ada'): Promise<Lead> {
  const taken = await takeLead(place, { holder: name, place: name, alone: true }, () => {});
  if (!('fence' in taken)) throw new Error(`led by ${taken.holder}`);
  return taken;
}

/** A store whose connection goes over a wire. */
async function wired(watch: SessionWatch = QUIET) {
  const made = await newSchema();
  await prepare(made.place);
  const url = new URL(made.url);
  const wire = await wireTo(Number(url.port));
  url.port = String(wire.port);
  const held = await lead(made.place);
  const db = await openOnPostgres(postgresPlace(url.href, ''), held.fence, watch);
  const dispose = async () => {
    await db.destroy();
    await held.release();
    await wire[Symbol.asyncDispose]();
    await made[Symbol.asyncDispose]();
  };
  return { db, wire, held, place: made.place, [Symbol.asyncDispose]: dispose };
}

const tell = (db: Db, text: string) => db.transaction().execute((tx) => append(tx, { kind: 'agent.progress', text }, 1));
const told = async (db: Db) => (await eventsAfter(db, 0)).map(({ seq, data }) => `${seq} ${JSON.parse(data).text}`);

it('texts come back as they were, with U+0000 and the letter that stands for it', async () => {
  await using at = await newStore();
  const letters = fc.constantFrom('\0', '\u{f5ee}', '0', '1', 'ä', '\\', "'", '\u{1f600}');
  await fc.assert(
    fc.asyncProperty(fc.array(letters, { maxLength: 12 }), async (some) => {
      await writeMeta(at.db, 'text', some.join(''));
      expect(await readMeta(at.db, 'text')).toBe(some.join(''));
    }),
    { numRuns: 200 },
  );
});

it('ids and texts are ordered as in a file: one above the highest, byte by byte', async () => {
  await using at = await newStore();
  const run = {
    tree: 't',
    check: 'c',
    name: 'n',
    outcome: 'pass' as const,
    at: 1,
    ms: 1,
    beside: 1,
    stage: 'queue' as const,
    log: '',
    detail: null,
  };
  await at.db
    .insertInto('check_run')
    .values({ ...run, id: 100 })
    .execute();
  const undone = at.db.transaction().execute(async (tx) => {
    await tx.insertInto('check_run').values(run).execute();
    throw new Error('taken back');
  });
  await undone.catch(() => {});
  const made = await at.db.insertInto('check_run').values([run, run]).returning('id').execute();
  expect(made).toEqual([{ id: 101 }, { id: 102 }]);
  for (const key of ['b', 'a', 'B', 'ä', 'Z']) await writeMeta(at.db, `k.${key}`, '');
  const rows = await at.db.selectFrom('meta').select('key').where('key', 'like', 'k.%').orderBy('key').execute();
  expect(rows.map(({ key }) => key)).toEqual(['k.B', 'k.Z', 'k.a', 'k.b', 'k.ä']);
});

describe('a connection that is lost', () => {
  it('costs a look another try, and nothing else', async () => {
    await using at = await wired();
    await tell(at.db, 'a');
    at.wire.cut();
    expect(await told(at.db)).toEqual(['1 a']);
    at.wire.cut();
    await tell(at.db, 'b');
    expect(await told(at.db)).toEqual(['1 a', '2 b']);
  });

  it('within a transaction takes it back', async () => {
    await using at = await wired();
    const half = at.db.transaction().execute(async (tx) => {
      await append(tx, { kind: 'agent.progress', text: 'half' }, 1);
      at.wire.cut();
      await append(tx, { kind: 'agent.progress', text: 'other half' }, 1);
    });
    await expect(half).rejects.toMatchObject({ code: 'STORE_AWAY' });
    await tell(at.db, 'whole');
    expect(await told(at.db)).toEqual(['1 whole']);
  });

  it.each([
    ['answers', 'was done, and the answer lost'],
    ['asked', 'never arrived'],
  ] as const)('while it says commit: %s: what %s is known', async (lost, _what) => {
    await using at = await wired();
    await tell(at.db, 'before');
    const one = at.db.transaction().execute(async (tx) => {
      await append(tx, { kind: 'agent.progress', text: 'doubtful' }, 1);
      const said = at.wire.said('commit');
      at.wire.lose(lost);
      void said.then(async () => {
        // The server has it by then, or never gets it.
        if (lost === 'answers') await arrived(at.place);
        at.wire.lose('nothing');
        at.wire.cut();
      });
    });
    if (lost === 'answers') await one;
    else await expect(one).rejects.toMatchObject({ code: 'STORE_AWAY' });
    await tell(at.db, 'after');
    expect(await told(at.db)).toEqual(lost === 'answers' ? ['1 before', '2 doubtful', '3 after'] : ['1 before', '2 after']);
  });
});

/** Resolves when the doubtful event is committed. */
async function arrived(place: PostgresPlace): Promise<void> {
  const found = () => ask(place, async (session) => (await session.query(`select 1 from event where data like '%doubtful%'`)).rowCount);
  await expect.poll(found).toBe(1);
}

describe('the leader of a farm', () => {
  it('is one: whoever asks is told who, until the lease ends by the clock of the database', async () => {
    await using made = await newSchema();
    await prepare(made.place);
    const ada = await lead(made.place);
    const bob = { holder: 'bob', place: 'bob', alone: true };
    expect(await takeLead(made.place, bob, () => {})).toMatchObject({ holder: 'ada', epoch: 1 });
    await ada.release();
    const second = await takeLead(made.place, bob, () => {});
    expect(second).toMatchObject({ fence: { epoch: 2 } });
    await ask(made.place, async (session) => void (await session.query('update store_leader set until = 0')));
    const third = await takeLead(made.place, { ...bob, holder: 'carl', place: 'carl' }, () => {});
    expect(third).toMatchObject({ fence: { epoch: 3 } });
    for (const one of [second, third]) if ('fence' in one) await one.release();
  });

  it('of two that ask at the same time is one', async () => {
    await using made = await newSchema();
    await prepare(made.place);
    for (let round = 0; round < 10; round++) {
      const both = await Promise.all(
        ['ada', 'bob'].map((name) => takeLead(made.place, { holder: name, place: name, alone: true }, () => {})),
      );
      const leads = both.filter((one) => 'fence' in one);
      expect(leads.length).toBe(1);
      await leads[0]!.release();
    }
  });

  it('that was replaced changes nothing any more, and is told', async () => {
    const over: string[] = [];
    await using at = await wired({ ...QUIET, over: (error) => over.push((error as { code?: string }).code!) });
    await tell(at.db, 'ada leads');
    await at.held.release();
    const bob = await lead(at.place, 'bob');
    await using next = { db: await openOnPostgres(at.place, bob.fence), [Symbol.asyncDispose]: async () => next.db.destroy() };
    for (const write of [() => tell(at.db, 'late'), () => writeMeta(at.db, 'late', '1'), () => at.db.deleteFrom('event').execute()])
      await expect(write()).rejects.toMatchObject({ code: 'STORE_REPLACED' });
    await tell(next.db, 'bob leads');
    expect(await told(next.db)).toEqual(['1 ada leads', '2 bob leads']);
    expect(over[0]).toBe('STORE_REPLACED');
    await bob.release();
  });

  it('that is replaced within a transaction holds the next one up for 3 s, and is taken back', async () => {
    await using at = await wired();
    const begun = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const late = at.db.transaction().execute(async (tx) => {
      await append(tx, { kind: 'agent.progress', text: 'late' }, 1);
      begun.resolve();
      await go.promise;
    });
    const failed = expect(late).rejects.toMatchObject({ code: 'STORE_AWAY' });
    await begun.promise;
    await at.held.release();
    const began = performance.now();
    const bob = await lead(at.place, 'bob');
    expect(performance.now() - began).toBeGreaterThan(1000);
    go.resolve();
    await failed;
    await expect(tell(at.db, 'later')).rejects.toMatchObject({ code: 'STORE_REPLACED' });
    await using next = { db: await openOnPostgres(at.place, bob.fence), [Symbol.asyncDispose]: async () => next.db.destroy() };
    expect(await told(next.db)).toEqual([]);
    await bob.release();
  });
});

it('a store that lost what it had committed is not written to', async () => {
  await using at = await wired();
  await tell(at.db, 'a');
  await ask(at.place, async (session) => void (await session.query('update store_fence set n = n - 1')));
  await expect(tell(at.db, 'b')).rejects.toMatchObject({ code: 'STORE_WENT_BACK' });
  expect(await told(at.db)).toEqual(['1 a']);
});

describe('the URL of a store', () => {
  it('is named without user and password', () => {
    const place = postgresPlace('postgres://ada:s%40cret@db.example:6543/farms', 'furrow_x_1');
    expect(place.name).toBe('db.example:6543/farms (schema furrow_x_1)');
    expect(secretsOf(place.url)).toEqual(['s%40cret', 's@cret']);
  });

  it.each(['mysql://x', 'postgres://a:secret@h:port/d', 'secret', 'postgres://h/d?schema=A;drop'])(
    'that is none is refused without telling it: %s',
    (url) => {
      const refused = () => postgresPlace(url, 's');
      expect(refused).toThrow(expect.objectContaining({ code: 'STORE_URL' }));
      expect(refused).not.toThrow(/secret/);
    },
  );

  it('names a schema by the folder and the id', () => {
    expect([schemaOf('My Shop.v2', '0a1b2c3d'), schemaOf('日本', '0a1b2c3d')]).toEqual([
      'furrow_my_shop_v2_0a1b2c3d',
      'furrow_farm_0a1b2c3d',
    ]);
  });
});

describe('what the database may lose', () => {
  const safe = { version: '15.18', fsync: 'on', commit: 'on', standbys: '', followers: 0 };
  it.each([
    ['nothing follows it', safe, 'ok', 'back it up'],
    ['it waits for a copy', { ...safe, standbys: 'ANY 1 (*)', followers: 1 }, 'ok', 'waits for a copy'],
    ['copies follow asynchronously', { ...safe, followers: 2 }, 'warn', '2 copies follow it asynchronously'],
    ['it does not wait for its copies', { ...safe, standbys: 'a', followers: 1, commit: 'local' }, 'warn', 'is local'],
    ['commits are not written at once', { ...safe, commit: 'off' }, 'bad', 'synchronous_commit is off'],
    ['nothing is written for sure', { ...safe, fsync: 'off' }, 'bad', 'fsync is off'],
  ] as const)('is told: %s', (_name, settings, level, text) => {
    expect(judge(settings)).toMatchObject([{ level, what: expect.stringContaining(text) }]);
  });
});
