import { expect, it } from 'vitest';
import { inboxOf, openAsks } from '../../../src/agents/message/read.ts';
import {
  dropPending,
  endAsk,
  markDelivered,
  markHanded,
  markReturned,
  type NewMessage,
  noteReminded,
  pruneMessages,
  send,
} from '../../../src/agents/message/store.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import type { Tx } from '../../../src/journal/store.ts';
import { keepValues } from '../../../src/platform/redact.ts';
import { newStore } from '../../support/store.ts';
import { addAttempt } from './attempt.ts';

async function store() {
  const at = await newStore();
  await addAttempt(at.db, 1, 'ada');
  await addAttempt(at.db, 2, 'bob');
  const run = <T>(work: (tx: Tx) => Promise<T>) => at.db.transaction().execute(work);
  const give = (message: Partial<NewMessage> = {}) =>
    run((tx) => send(tx, { sender: 'ada', receiver: 'bob', kind: 'notify', body: 'x', ...message }, 1));
  const read = (id: number, now: number) =>
    run(async (tx) => (await markHanded(tx, id, 'hook', 2, now)) && markDelivered(tx, [id], 2, now));
  const ids = async () => (await at.db.selectFrom('message').select('id').orderBy('id').execute()).map(({ id }) => id);
  return { ...at, run, give, read, ids, [Symbol.asyncDispose]: at[Symbol.asyncDispose] };
}

it('deletes old messages a few at a time, and never an open question, however old, nor the newest', async () => {
  await using at = await store();
  const all = [await at.give({ kind: 'ask' }), await at.give(), await at.give(), await at.give()];
  for (const id of all) await at.read(id, 2);
  const [question, second, third, newest] = all;
  expect(await pruneMessages(at.db, 9, 1)).toBe(1);
  expect(await at.ids()).toEqual([question, third, newest]);
  expect(await pruneMessages(at.db, 9, 9)).toBe(1);
  expect(await at.ids()).toEqual([question, newest]);
  expect(second).toBeLessThan(third!);
  await at.run((tx) => endAsk(tx, question!, { on: 'answered' }, '', 3));
  expect([await pruneMessages(at.db, 9, 9), await at.ids()]).toEqual([1, [newest]]);
});

it.each(['answered', 'declined', 'withdrawn'] as const)('whoever asked is not told of a question that was %s: it knows', async (on) => {
  await using at = await store();
  const id = await at.give({ kind: 'ask' });
  expect(await at.run((tx) => endAsk(tx, id, { on }, 'why', 2))).toBe(true);
  expect(await inboxOf(at.db, 'ada')).toEqual([]);
});

it('nobody is told of a question of the farm itself', async () => {
  await using at = await store();
  const id = await at.give({ kind: 'ask', sender: 'furrow' });
  expect(await at.run((tx) => endAsk(tx, id, { on: 'expired' }, 'late', 2))).toBe(true);
  expect(await at.ids()).toEqual([id]);
});

it('reminds of open questions only', async () => {
  await using at = await store();
  const [open, closed, word] = [await at.give({ kind: 'ask' }), await at.give({ kind: 'ask' }), await at.give()];
  await at.run((tx) => endAsk(tx, closed, { on: 'answered' }, '', 2));
  await at.run((tx) => noteReminded(tx, [open, closed, word, 99], 3));
  expect(await at.db.selectFrom('message').select(['id', 'reminded']).where('reminded', '>', 0).execute()).toEqual([
    { id: open, reminded: 1 },
  ]);
  expect((await openAsks(at.db)).map(({ id }) => id)).toEqual([open]);
});

it('a message that came back is nobody’s again, and remembers when it was tried; its events name the attempt', async () => {
  await using at = await store();
  const id = await at.give();
  await at.run((tx) => markHanded(tx, id, 'keys', 2, 5));
  expect(await at.run((tx) => markReturned(tx, id, 1, 6))).toBe(true);
  expect(await inboxOf(at.db, 'bob')).toMatchObject([{ state: 'pending', via: null, attempt: null, handed_at: 5, tries: 1 }]);
  expect((await eventsAfter(at.db, 0)).map(({ kind, attempt }) => [kind, attempt])).toEqual([
    ['message.sent', null],
    ['message.handed', 2],
    ['message.returned', 2],
  ]);
});

it('only a message that nobody has got becomes a dead letter; one in doubt stays', async () => {
  await using at = await store();
  const [waits, handed] = [await at.give(), await at.give()];
  await at.run((tx) => markHanded(tx, handed, 'keys', 2, 2));
  for (const id of [waits, handed]) await at.run((tx) => dropPending(tx, id, 'bob has gone', 3));
  expect((await inboxOf(at.db, 'bob')).map(({ state }) => state)).toEqual(['dead', 'handed']);
});

it('keeps no secret, and takes no name of another farm as its receiver', async () => {
  await using at = await store();
  keepValues(['hunter2-hunter2-hunter2']);
  await at.give({ sender: 'repo:ada', body: 'the key is hunter2-hunter2-hunter2' });
  expect((await inboxOf(at.db, 'bob'))[0]!.body).not.toContain('hunter2');
  await expect(at.give({ receiver: 'repo:bob' })).rejects.toThrow('not a name');
});
