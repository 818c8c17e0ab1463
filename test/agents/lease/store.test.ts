import { describe, expect, it } from 'vitest';
import {
  askFor,
  endLeases,
  endLeasesOf,
  findLease,
  grantAbove,
  type NewLease,
  openLeases,
  passLeases,
  pruneLeases,
  releaseLease,
} from '../../../src/agents/lease/store.ts';
import { inboxOf } from '../../../src/agents/message/read.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import type { Db } from '../../../src/journal/store.ts';
import { addLanding } from '../../../src/queue/landing/store.ts';
import { beginAttempt } from '../../../src/work/attempt/store.ts';
import { addTasks } from '../../../src/work/task/store.ts';
import { newStore } from '../../support/store.ts';
import { taskRow } from '../../work/task/row.ts';

const CAPACITY = { db: 1, api: 2 };
const wish = (attempt: number, names: string[], more: Partial<NewLease> = {}): NewLease => ({
  kind: 'resource',
  names,
  mode: 'exclusive',
  count: 1,
  origin: 'held',
  by: { holder: `attempt:${attempt}`, who: `agent-${attempt}`, attempt, process: null },
  reason: null,
  until: null,
  ...more,
});
const ask = (db: Db, lease: NewLease, now = 1) => db.transaction().execute((tx) => askFor(tx, lease, CAPACITY, now));
const kinds = async (db: Db) => (await eventsAfter(db, 0)).map(({ kind }) => kind);

describe('stored leases', () => {
  it('are granted once to each, with growing tokens, and every change is an event of the same transaction', async () => {
    await using at = await newStore();
    const first = await ask(at.db, wish(1, ['db']));
    const second = await ask(at.db, wish(2, ['db']));
    expect([first.standing, second.standing]).toEqual(['held', 'waiting']);
    await at.db.transaction().execute((tx) => releaseLease(tx, first.id, 'attempt:1', CAPACITY, 2));
    const next = await findLease(at.db, second.id);
    expect(next).toMatchObject({ standing: 'held', granted: 2 });
    expect(next!.token!).toBeGreaterThan(first.token!);
    expect(await kinds(at.db)).toEqual(['lease.granted', 'lease.asked', 'lease.ended', 'lease.granted', 'message.sent']);
    // It did not wait in its call, so it is told.
    expect(await inboxOf(at.db, 'agent-2')).toMatchObject([{ sender: 'furrow', body: expect.stringContaining('you hold db now') }]);
  });

  it('have tokens above all earlier ones also in a store that was made anew, however long nobody asks', async () => {
    const [lost, made] = [1_700_000_000_000, 1_800_000_000_000];
    await using at = await newStore();
    await at.db.transaction().execute((tx) => grantAbove(tx, lost));
    const before = await ask(at.db, wish(1, ['db']), lost);
    expect(before.token).toBeGreaterThan(lost);
    expect(await openLeases(at.db)).toMatchObject([{ id: before.id }]);
    await using next = await newStore();
    await next.db.transaction().execute((tx) => grantAbove(tx, made));
    await pruneLeases(next.db, made + 1, 10);
    expect((await ask(next.db, wish(1, ['db']), made)).token).toBeGreaterThan(before.token!);
  });

  it('pass to the work in the queue and stay the same grant: the attempt ends without them, and nobody has its turn before', async () => {
    await using at = await newStore();
    const paths = { kind: 'path', origin: 'declared' } as const;
    const mine = await ask(at.db, wish(1, ['src/**'], paths));
    await ask(at.db, wish(1, ['db']));
    const next = await ask(at.db, wish(2, ['src/a.ts'], { ...paths, origin: 'reserved' }));
    await at.db.transaction().execute(async (tx) => {
      await passLeases(tx, [mine.id], 'attempt:1', { holder: 'task:p/1', who: 'task 1', attempt: null });
      await endLeasesOf(tx, 1, 'attempt 1 is over', CAPACITY, 2);
    });
    expect(await openLeases(at.db)).toMatchObject([
      { id: mine.id, token: mine.token, holder: 'task:p/1', who: 'task 1', standing: 'held' },
      { id: next.id, standing: 'waiting' },
    ]);
    await at.db.transaction().execute((tx) => endLeases(tx, [mine.id], 'landed', CAPACITY, 3));
    expect(await openLeases(at.db)).toMatchObject([{ id: next.id, standing: 'held' }]);
  });

  it('are not ended by the word of another, nor by a late one', async () => {
    await using at = await newStore();
    const { id } = await ask(at.db, wish(1, ['db']));
    const release = (holder: string) => at.db.transaction().execute((tx) => releaseLease(tx, id, holder, CAPACITY, 2));
    expect(await release('attempt:2')).toBe(false);
    expect(await release('attempt:1')).toBe(true);
    expect(await release('attempt:1')).toBe(false);
  });

  it('all end with their attempt, and those in line have their turn in the same transaction', async () => {
    await using at = await newStore();
    await ask(at.db, wish(1, ['db']));
    await ask(at.db, wish(1, ['src/**'], { kind: 'path', origin: 'reserved' }));
    await ask(at.db, wish(2, ['src/a.ts'], { kind: 'path', origin: 'declared' }));
    await at.db.transaction().execute((tx) => endLeasesOf(tx, 1, 'attempt 1 is over', CAPACITY, 5));
    expect(await openLeases(at.db)).toMatchObject([{ attempt: 2, standing: 'held', granted: 5 }]);
  });

  it('on paths come with the commit that the holder lacks, when work has landed since it began', async () => {
    await using at = await newStore();
    const attempt = { kind: 'k', settings: null, base: 'b', branch: 'br', target: 'main', deadline: null, n: 1 };
    await at.db.transaction().execute(async (tx) => {
      await addTasks(tx, [taskRow('p/1'), taskRow('p/2')]);
      for (const n of [1, 2]) await beginAttempt(tx, { ...attempt, task: `p/${n}`, agent: `agent-${n}` }, n * 10);
      const commit = 'c0ffee'.repeat(6);
      await addLanding(tx, {
        target: 'main',
        commit,
        tree: 't',
        parent: 'b',
        entries: [],
        steps: [],
        at: 15,
        checks: null,
        published: null,
      });
    });
    const paths = { kind: 'path', origin: 'reserved' } as const;
    const holder = await ask(at.db, wish(9, ['a.ts'], paths));
    for (const n of [1, 2]) {
      await ask(at.db, wish(n, ['a.ts'], paths));
    }
    const [, first] = await openLeases(at.db);
    await at.db.transaction().execute((tx) => endLeases(tx, [holder.id], 'over', CAPACITY, 20));
    await at.db.transaction().execute((tx) => endLeases(tx, [first!.id], 'over', CAPACITY, 21));
    const [told] = await inboxOf(at.db, 'agent-1');
    expect(told?.body).toContain('git merge c0ffeec0ffee brings it in');
    const [later] = await inboxOf(at.db, 'agent-2');
    expect(later?.body).toMatch(/^It is your turn: you hold a\.ts now \(lease \d+\)\. furrow release/);
  });

  it('that end before their turn are told to the agent that waits for them, and not to one whose attempt is over', async () => {
    await using at = await newStore();
    await at.db.transaction().execute(async (tx) => {
      await addTasks(tx, [taskRow('p/1')]);
      await beginAttempt(
        tx,
        { kind: 'k', settings: null, base: 'b', branch: 'br', target: 'main', deadline: null, task: 'p/1', n: 1, agent: 'agent-1' },
        0,
      );
    });
    const holder = await ask(at.db, wish(9, ['db']));
    const waiting = [await ask(at.db, wish(1, ['db'])), await ask(at.db, wish(2, ['db']))];
    const ids = [holder, ...waiting].map(({ id }) => id);
    await at.db.transaction().execute((tx) => endLeases(tx, ids.slice(1), 'released by you', CAPACITY, 2));
    expect(await inboxOf(at.db, 'agent-1')).toMatchObject([
      { body: `You are no longer in line for db (lease ${ids[1]}): released by you.` },
    ]);
    expect(await inboxOf(at.db, 'agent-2')).toEqual([]);
  });

  it('of fifty who ask at once for one thing, one holds it', async () => {
    await using at = await newStore();
    const all = await Promise.all(Array.from({ length: 50 }, (_, n) => ask(at.db, wish(n, ['db']))));
    expect(all.filter(({ standing }) => standing === 'held')).toHaveLength(1);
  });

  it('are forgotten after a while, but no number is given out again', async () => {
    await using at = await newStore();
    for (let n = 1; n <= 3; n++) {
      const { id } = await ask(at.db, wish(n, ['db']));
      await at.db.transaction().execute((tx) => endLeases(tx, [id], 'over', CAPACITY, n));
    }
    expect(await pruneLeases(at.db, 100, 10)).toBe(2);
    const next = await ask(at.db, wish(9, ['db']));
    expect(next).toMatchObject({ id: 4, token: 4 });
  });
});
