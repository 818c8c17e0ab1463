import fc from 'fast-check';
import { expect, it } from 'vitest';
import { inboxOf, pendingFor } from '../../../src/agents/message/read.ts';
import { stamp } from '../../../src/agents/message/state.ts';
import { markDead, markDelivered, markHanded, markReturned, send } from '../../../src/agents/message/store.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import type { Db, Tx } from '../../../src/journal/store.ts';
import { newStore } from '../../support/store.ts';
import { addAttempt } from './attempt.ts';
import { tally } from './tally.ts';

async function store() {
  const made = await newStore();
  const { db } = made;
  await addAttempt(db, 1, 'ada');
  await addAttempt(db, 2, 'bob');
  return {
    db,
    in: <T>(work: (tx: Tx) => Promise<T>) => db.transaction().execute(work),
    [Symbol.asyncDispose]: () => made[Symbol.asyncDispose](),
  };
}

const kinds = async (db: Db) => (await eventsAfter(db, 0)).map(({ kind }) => kind);

it('a message is kept byte for byte, and each change of it is an event', async () => {
  await using at = await store();
  const body = 'a;\r\n\u0000 ☃ "x"';
  const id = await at.in((tx) => send(tx, { sender: 'human', receiver: 'ada', kind: 'notify', body }, 1));
  expect(await pendingFor(at.db, ['ada'])).toMatchObject([{ id, body, state: 'pending', tries: 0 }]);
  expect(await at.in((tx) => markHanded(tx, id, 'hook', 1, 2))).toBe(true);
  expect(await at.in((tx) => markHanded(tx, id, 'keys', 1, 3))).toBe(false);
  expect(await at.in((tx) => markDelivered(tx, [stamp(id), stamp(99), 'x'], 1, 4))).toEqual([id]);
  expect(await at.in((tx) => markDead(tx, id, 'late', 5))).toBe(false);
  expect(await inboxOf(at.db, 'ada')).toMatchObject([{ state: 'delivered', via: 'hook', attempt: 1, tries: 1, handed_at: 2, ended: 4 }]);
  expect(await kinds(at.db)).toEqual(['message.sent', 'message.handed', 'message.seen']);
  await expect(at.in((tx) => send(tx, { sender: 'x]\n', receiver: 'ada', kind: 'notify', body }, 1))).rejects.toThrow('not a name');
});

it('a stamp in the conversation of another agent proves nothing', async () => {
  await using at = await store();
  const id = await at.in((tx) => send(tx, { sender: 'human', receiver: 'ada', kind: 'notify', body: 'x' }, 1));
  expect(await at.in((tx) => markDelivered(tx, [stamp(id)], 1, 2))).toEqual([]);
  await at.in((tx) => markHanded(tx, id, 'keys', 1, 3));
  expect(await at.in((tx) => markDelivered(tx, [stamp(id)], 2, 4))).toEqual([]);
  await at.in((tx) => markReturned(tx, id, 1, 5));
  expect(await at.in((tx) => markDelivered(tx, [stamp(id)], 2, 6))).toEqual([]);
  expect(await at.in((tx) => markDelivered(tx, [stamp(id)], 1, 7))).toEqual([id]);
});

it('sent is delivered, dead and pending together, whatever happens', async () => {
  await using at = await store();
  let sent = 0;
  const which = fc.integer({ min: 1, max: 8 });
  const act = fc.oneof(
    fc.constant((tx: Tx) => send(tx, { sender: 'bob', receiver: 'ada', kind: 'notify', body: 'b' }, 0).then(() => void sent++)),
    which.map((id) => (tx: Tx) => markHanded(tx, id, 'keys', 1, 1)),
    which.map((id) => (tx: Tx) => markDelivered(tx, [id], 1, 1)),
    fc.tuple(which, fc.integer({ min: 1, max: 2 })).map(
      ([id, n]) =>
        (tx: Tx) =>
          markReturned(tx, id, n, 1),
    ),
    which.map((id) => (tx: Tx) => markDead(tx, id, 'no', 1)),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 15 }), async (acts) => {
      for (const one of acts) await at.in<unknown>(one);
      const { delivered, dead, pending, ...counted } = await tally(at.db);
      expect([counted.sent, delivered + dead + pending]).toEqual([sent, sent]);
    }),
    { numRuns: 25 },
  );
});
