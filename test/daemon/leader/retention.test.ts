import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { deletedAfter } from '../../../src/daemon/farm/feed.ts';
import { prune } from '../../../src/daemon/leader/retention.ts';
import { append, firstWithin } from '../../../src/journal/event.ts';
import type { Db } from '../../../src/journal/store.ts';
import { newStore as store } from '../../support/store.ts';
import { taskRow } from '../../work/task/row.ts';

const DAY = 24 * 3600_000;
const NOW = 1000 * DAY;

/** So many events of one age, without one statement each. */
const events = (db: Db, count: number, daysAgo: number) =>
  sql`insert into event (seq, at, kind, data) with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
    select (select coalesce(max(seq), 0) from event) + i, ${NOW - daysAgo * DAY}, 'x', '{"text":"x"}' from n`.execute(db);
const runs = (db: Db, count: number, daysAgo: number) =>
  sql`insert into check_run (tree, "check", name, outcome, at, ms, log) with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(count)})
    select 't' || i, 'c', 'c', 'pass', ${NOW - daysAgo * DAY}, 1, '' from n`.execute(db);
const seqs = async (db: Db) => (await db.selectFrom('event').select('seq').orderBy('seq').execute()).map((row) => row.seq);
const count = async (db: Db, table: string) =>
  (await sql<{ n: number }>`select count(*) as n from ${sql.table(table)}`.execute(db)).rows[0]!.n;

it('keeps events for 90 days, without gaps from the oldest one kept, and goes on counting', async () => {
  await using at = await store();
  await events(at.db, 3000, 91);
  await events(at.db, 2000, 89);
  await prune(at.db, NOW);
  expect(await seqs(at.db)).toEqual(Array.from({ length: 2000 }, (_, n) => 3001 + n));
  // All of them are too old by now: some stay, so that the numbers do not begin again.
  await prune(at.db, NOW + 300 * DAY);
  expect(await seqs(at.db)).toEqual(Array.from({ length: 1000 }, (_, n) => 4001 + n));
  await at.db.transaction().execute((tx) => append(tx, { kind: 'agent.progress', text: 'x' }, NOW));
  expect((await seqs(at.db)).at(-1)).toBe(5001);
});

it('keeps no more than 200,000 events, however young', async () => {
  await using at = await store();
  await events(at.db, 200_700, 1);
  await prune(at.db, NOW);
  const kept = await sql<{ n: number; first: number }>`select count(*) as n, min(seq) as first from event`.execute(at.db);
  expect(kept.rows[0]).toEqual({ n: 200_000, first: 701 });
});

it('keeps no more bytes of events than it may, however young, and always the newest', async () => {
  await using at = await store();
  await events(at.db, 1500, 1);
  const bytes = '{"text":"x"}'.length;
  await prune(at.db, NOW, 1200 * bytes);
  expect(await seqs(at.db)).toEqual(Array.from({ length: 1200 }, (_, n) => 301 + n));
  await prune(at.db, NOW, 1);
  expect(await seqs(at.db)).toEqual([1500]);
});

it('finds the oldest of the newest events that have so many bytes together', async () => {
  await using at = await store();
  await events(at.db, 100, 1);
  const bytes = '{"text":"x"}'.length;
  expect(await firstWithin(at.db, 10 * bytes)).toBe(91);
  expect(await firstWithin(at.db, 100 * bytes)).toBeUndefined();
});

it('whoever asks for events that were deleted is told so, with no gap in the numbers', async () => {
  await using at = await store();
  await events(at.db, 3000, 91);
  await events(at.db, 2000, 89);
  await prune(at.db, NOW);
  expect(await deletedAfter(at.db, 7, NOW)).toMatchObject({
    seq: 3000,
    kind: 'events.deleted',
    text: 'events 8 to 3000 are no longer kept',
  });
  expect([await deletedAfter(at.db, 3000, NOW), await deletedAfter(at.db, 4999, NOW)]).toEqual([undefined, undefined]);
});

it('keeps messages that wait, and those that ended within 90 days; numbers never begin again', async () => {
  await using at = await store();
  const message = (ended: number | null) =>
    at.db
      .insertInto('message')
      .values({
        sender: 'ada',
        receiver: 'bob',
        kind: 'notify',
        body: 'x',
        state: ended === null ? 'pending' : 'delivered',
        at: 1,
        ended,
        tries: 0,
      })
      .execute();
  for (const ended of [NOW - 91 * DAY, null, NOW - 89 * DAY, NOW - 91 * DAY, NOW - 91 * DAY]) await message(ended);
  await prune(at.db, NOW);
  expect((await at.db.selectFrom('message').select('id').orderBy('id').execute()).map(({ id }) => id)).toEqual([2, 3, 5]);
});

it('keeps check runs for 30 days, and the newest however old', async () => {
  await using at = await store();
  await runs(at.db, 3000, 40);
  await runs(at.db, 100, 1);
  await prune(at.db, NOW);
  expect(await count(at.db, 'check_run')).toBe(2000);
  await runs(at.db, 2500, 29);
  await prune(at.db, NOW);
  expect(await count(at.db, 'check_run')).toBe(2600);
});

it('keeps of old entries what tokens, reverts, recent landings and open entries are told by', async () => {
  await using at = await store();
  const old = NOW - 100 * DAY;
  const entry = (task: string, attempt: number, ended: number | null) =>
    at.db
      .insertInto('entry')
      .values({
        task,
        attempt,
        agent: null,
        title: '',
        sha: '',
        after: '[]',
        priority: null,
        keep: 0,
        paths: null,
        state: 'landed',
        reason: null,
        at: old,
        ended,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
      .then((row) => row.id);
  const kept: number[] = [];
  await entry('default/1', 1, old);
  kept.push(await entry('default/1', 2, old));
  kept.push(await entry('default/2', 1, old), await entry('default/2', 2, null));
  const reverted = await entry('default/3', 1, old);
  const landed = await entry('default/3', 2, old);
  kept.push(reverted, landed, await entry('default/3', 3, old));
  kept.push(await entry('default/4', 1, NOW - DAY), await entry('default/4', 2, NOW - DAY));
  await at.db
    .insertInto('revert')
    .values({ step: 's', task: 'default/3', entry: reverted, check: 'c', report: '', at: old, reopened: null })
    .execute();
  const landing = { target: 'main', commit: 'c', tree: 't', parent: 'p', steps: '[]', at: old, published: old };
  await at.db
    .insertInto('landing')
    .values({ ...landing, entries: JSON.stringify([landed]) })
    .execute();
  await prune(at.db, NOW);
  expect((await at.db.selectFrom('entry').select('id').orderBy('id').execute()).map((row) => row.id)).toEqual(kept);
});

it('forgets after a month a task without a file that did not land, and never one that did', async () => {
  await using at = await store();
  const row = (id: string, standing: 'open' | 'landed' | 'parked', missing: number | null) => ({
    ...{
      ref: `default/${id}`,
      phase: 'default',
      id,
      file: '',
      hash: '',
      title: '',
      status: 'todo',
      priority: '',
      class: '',
      due: null,
      created: 0,
    },
    ...{ depends_on: '[]', tags: '[]', agent: null, paths: '[]', check: null, blocked: 0, block_reason: null, standing, attempt: 1 },
    ...{ failures: 0, crashes: 0, not_before: 0, rework: null, want: null, commit: null, missing },
  });
  const long = NOW - 31 * DAY;
  const rows = [
    row('1', 'open', long),
    row('2', 'parked', long),
    row('3', 'landed', long),
    row('4', 'open', NOW - 29 * DAY),
    row('5', 'open', null),
  ];
  await at.db.insertInto('task').values(rows).execute();
  await prune(at.db, NOW);
  expect((await at.db.selectFrom('task').select('id').orderBy('id').execute()).map((one) => one.id)).toEqual(['3', '4', '5']);
});

it('deletes acts after a day and answered questions after 90', async () => {
  await using at = await store();
  const intent = { kind: 'x', key: 'k', args: '{}', at: 0, result: null };
  await at.db
    .insertInto('intent')
    .values([
      { ...intent, state: 'done', ended: NOW - 2 * DAY },
      { ...intent, state: 'open', ended: null },
      { ...intent, state: 'failed', ended: NOW - DAY / 2 },
    ])
    .execute();
  const question = { kind: 'k', subject: 's', reason: 'r', since: 0, answer: null };
  await at.db
    .insertInto('question')
    .values([
      { ...question, closed: NOW - 91 * DAY },
      { ...question, closed: NOW - 89 * DAY },
      { ...question, closed: null },
    ])
    .execute();
  await prune(at.db, NOW);
  expect([await count(at.db, 'intent'), await count(at.db, 'question')]).toEqual([2, 2]);
});

it('deletes what was heard of attempts that have ended, and an answered errand after 90 days', async () => {
  await using at = await store();
  await at.db
    .insertInto('task')
    .values([
      { ...taskRow('review-1'), purpose: 'review', standing: 'landed', created: NOW - 91 * DAY, seq: 1 },
      { ...taskRow('review-2'), purpose: 'review', standing: 'landed', created: NOW - 89 * DAY, seq: 2 },
    ])
    .execute();
  for (const [id, state] of [
    [1, 'ended'],
    [2, 'running'],
  ] as const) {
    await sql`insert into attempt (id, task, n, agent, kind, state, base, branch, started)
      values (${id}, 'p/1', ${id}, 'ada', 'k', ${state}, '', '', 0)`.execute(at.db);
    await sql`insert into heard (attempt, session, signals, turn, care, at) values (${id}, null, '{}', null, '{}', 0)`.execute(at.db);
  }
  await prune(at.db, NOW);
  expect((await at.db.selectFrom('heard').select('attempt').orderBy('attempt').execute()).map(({ attempt }) => attempt)).toEqual([2]);
  expect((await at.db.selectFrom('task').select('id').orderBy('id').execute()).map(({ id }) => id)).toEqual(['review-2']);
});
