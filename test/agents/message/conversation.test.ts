import { expect, it } from 'vitest';
import { asksBy, asksTo, firstOpen, inboxOf, messagesOf, openAsks } from '../../../src/agents/message/read.ts';
import { endAsk, markDead, markDelivered, markHanded, noteReminded, send } from '../../../src/agents/message/store.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import type { Tx } from '../../../src/journal/store.ts';
import { newStore } from '../../support/store.ts';
import { addAttempt } from './attempt.ts';
import { tally } from './tally.ts';

async function store() {
  const at = await newStore();
  await addAttempt(at.db, 1, 'ada');
  await addAttempt(at.db, 2, 'bob');
  const run = <T>(work: (tx: Tx) => Promise<T>) => at.db.transaction().execute(work);
  const ask = (body = 'which port?') =>
    run((tx) => send(tx, { sender: 'ada', receiver: 'bob', kind: 'ask', body, askedBy: 1, deadline: 100 }, 1));
  const read = async (id: number) => {
    await run((tx) => markHanded(tx, id, 'hook', 2, 2));
    await run((tx) => markDelivered(tx, [id], 2, 3));
  };
  return { ...at, run, ask, read, [Symbol.asyncDispose]: at[Symbol.asyncDispose] };
}

it('a question is open until it is answered, and then is closed for good', async () => {
  await using at = await store();
  const id = await at.ask();
  expect(await openAsks(at.db)).toEqual([{ id, receiver: 'bob', readBy: null, askedBy: 1, deadline: 100 }]);
  expect([await asksBy(at.db, 1), await asksTo(at.db, 'bob', 2)]).toEqual([1, []]);
  await at.read(id);
  expect(await asksTo(at.db, 'bob', 2)).toMatchObject([{ id }]);
  await at.run((tx) => noteReminded(tx, [id], 4));
  expect(await asksTo(at.db, 'bob', 2)).toMatchObject([{ reminded: 1 }]);
  expect(await at.run((tx) => endAsk(tx, id, { on: 'answered' }, '', 5))).toBe(true);
  expect(await at.run((tx) => endAsk(tx, id, { on: 'expired' }, 'late', 6))).toBe(false);
  expect([await openAsks(at.db), await asksBy(at.db, 1)]).toEqual([[], 0]);
  expect(await inboxOf(at.db, 'ada')).toEqual([]);
  expect((await eventsAfter(at.db, 0)).map((event) => event.kind).slice(-2)).toEqual(['message.reminded', 'message.closed']);
});

it('whoever asked is told once why there is no answer, and a question that nobody got is a dead letter', async () => {
  await using at = await store();
  const id = await at.ask();
  expect(await at.run((tx) => endAsk(tx, id, { on: 'expired' }, 'its deadline has passed', 100))).toBe(true);
  expect(await inboxOf(at.db, 'bob')).toMatchObject([
    { id, state: 'dead', ask: 'expired', reason: 'its deadline has passed', closed: 100 },
  ]);
  const [told, ...more] = await inboxOf(at.db, 'ada');
  expect([told, more]).toMatchObject([{ sender: 'furrow', kind: 'notify', thread: id, ask: null }, []]);
  expect(told!.body).toBe(`Your question m${id} to bob got no answer: its deadline has passed. You had asked: which port?`);
});

it('a question that cannot be delivered is closed with the letter; one that was withdrawn bothers nobody', async () => {
  await using at = await store();
  const [lost, withdrawn] = [await at.ask(), await at.ask()];
  await at.run((tx) => markDead(tx, lost, 'bob is no longer there', 5));
  await at.run((tx) => endAsk(tx, withdrawn, { on: 'withdrawn' }, 'the attempt has ended', 6));
  expect(await messagesOf(at.db, { of: 'bob' }, 9)).toMatchObject([{ ask: 'dead' }, { ask: 'withdrawn', state: 'dead' }]);
  expect(await inboxOf(at.db, 'ada')).toHaveLength(1);
  const { sent, delivered, dead, pending } = await tally(at.db);
  expect([sent, delivered + dead + pending]).toEqual([3, 3]);
});

it('the same message sent again with its key is the same message; other receivers of the group get their own', async () => {
  await using at = await store();
  const to = (receiver: string, key: string, thread?: number) =>
    at.run((tx) => send(tx, { sender: 'ada', receiver, kind: 'notify', body: 'x', key, addressed: '@all', thread: thread ?? null }, 1));
  const first = await to('bob', 'k1');
  const second = await to('cy', 'k1', first);
  expect([await to('bob', 'k1'), await to('cy', 'k1', first)]).toEqual([first, second]);
  expect(await to('bob', 'k2')).not.toBe(first);
  expect((await messagesOf(at.db, { thread: first }, 9)).map((one) => [one.receiver, one.addressed])).toEqual([
    ['bob', '@all'],
    ['cy', '@all'],
  ]);
});

it('of each agent only the first message is looked at, and a person delivers for itself', async () => {
  await using at = await store();
  for (const receiver of ['bob', 'cy', 'bob', 'human', 'cy'])
    await at.run((tx) => send(tx, { sender: 'ada', receiver, kind: 'notify', body: 'x' }, 1));
  expect((await firstOpen(at.db)).map((one) => one.id)).toEqual([1, 2]);
  expect((await firstOpen(at.db, ['cy'])).map((one) => one.id)).toEqual([2]);
});
