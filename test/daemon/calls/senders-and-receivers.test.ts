import { expect, it } from 'vitest';
import { addAgent, advanceAgent } from '../../../src/agents/agent/store.ts';
import { MOST_WAITING } from '../../../src/agents/message/limit.ts';
import { markDelivered, markHanded } from '../../../src/agents/message/store.ts';
import type { Caller } from '../../../src/api/caller.ts';
import type { CallContext } from '../../../src/api/server.ts';
import type { Desk } from '../../../src/daemon/calls/context.ts';
import { inboxes } from '../../../src/daemon/calls/inbox.ts';
import { jobs } from '../../../src/daemon/calls/jobs.ts';
import { answerSpread } from '../../../src/daemon/calls/many-receivers.ts';
import { messages } from '../../../src/daemon/calls/messages.ts';
import { openFeed } from '../../../src/daemon/farm/feed.ts';
import { followConversations } from '../../../src/daemon/leader/conversations.ts';
import { answerQuestion, openQuestions } from '../../../src/work/question/store.ts';
import { addAttempt } from '../../agents/message/attempt.ts';
import { newStore } from '../../support/store.ts';

/** The calls at a real store, for three agents of two phases and a person. Attempt n is of the n-th agent. */
async function desk(orchestrator = false) {
  const store = await newStore();
  const { db } = store;
  const at = { now: 1000 };
  const alarm = {};
  const clock = { now: () => at.now, awake: () => at.now };
  const farm = {
    db,
    clock,
    alarm,
    wake() {},
    post: { clock, alarm, wake() {} },
    config: { messages: { rate: 30, hops: 3, spread: 3 } },
  } as unknown as Desk['farm'];
  const own = { farm, feed: await openFeed(db) } as Desk;
  const calls = { ...messages(own), ...inboxes(own), ...jobs(own) };
  const names = ['ada', 'bob', 'cy'];
  for (const [n, name] of names.entries()) {
    const agent = { name, idx: n + 1, phase: n < 2 ? 'api' : 'web', kind: 'claude', worktree: '', port: 0 };
    await db.transaction().execute(async (tx) => {
      await addAgent(tx, agent, 1);
      await advanceAgent(tx, name, { on: 'taken', attempt: n + 1 }, 1);
    });
    await addAttempt(db, n + 1, name);
  }
  const by = (name?: string): CallContext => ({ caller: callerOf(name), signal: new AbortController().signal, item() {} });
  const callerOf = (name?: string): Caller => {
    if (name === undefined) return { kind: 'person' };
    const attempt = names.indexOf(name) + 1;
    const speaker = { agent: name, task: String(attempt), phase: attempt < 3 ? 'api' : 'web', attempt: 1 };
    return { kind: 'agent', attempt, agent: name, orchestrator, ended: false, speaker };
  };
  /** The agent has it in its conversation. */
  const read = (id: string, attempt: number) =>
    db.transaction().execute(async (tx) => {
      await markHanded(tx, Number(id), 'hook', attempt, at.now);
      await markDelivered(tx, [Number(id)], attempt, at.now);
    });
  const inbox = async (name?: string) => (await calls.inbox({ take: true }, by(name))).messages.filter((one) => one.state === 'pending');
  const end = async (attempt: number) => {
    await db.updateTable('attempt').set({ state: 'ended' }).where('id', '=', attempt).execute();
    await followConversations(farm);
  };
  return { db, at, farm, calls, by, read, inbox, end, [Symbol.asyncDispose]: store[Symbol.asyncDispose] };
}

it('a question is answered once, by its receiver, and the answer comes back as a message', async () => {
  await using it = await desk();
  const { calls, by } = it;
  const asked = await calls.ask({ to: 'bob', text: 'which port?' }, by('ada'));
  expect(asked).toEqual({ question: null, id: '1', to: 'bob', waits: null });
  await it.read('1', 2);
  await expect(calls.reply({ to: '1', text: '8080' }, by('cy'))).rejects.toMatchObject({ code: 'NO_MESSAGE' });
  expect(await calls.reply({ to: 'm1', text: '8080', key: 'k' }, by('bob'))).toMatchObject({ id: '2', to: 'ada', closed: true });
  expect(await calls.reply({ to: 'm1', text: '8080', key: 'k' }, by('bob')), 'the same call again').toMatchObject({ id: '2' });
  await expect(calls.reply({ to: '1', text: 'or 9090' }, by('bob'))).rejects.toMatchObject({ code: 'CLOSED' });
  expect(await it.inbox('ada')).toMatchObject([{ from: 'bob', kind: 'reply', body: '8080', answers: '1', thread: '1' }]);
  expect((await calls.messages({}, by('ada'))).messages.map((one) => one.receipt)).toEqual(['answered', 'seen']);
  expect((await calls.messages({}, by('cy'))).messages, 'an agent sees its own only').toEqual([]);
});

it('a question ends with its time, with the attempt that read it, or with the one that asked; whoever waits is told', async () => {
  await using it = await desk();
  const { calls, by } = it;
  await calls.askMany({ to: ['bob', 'cy'], text: 'free?', deadline: 5000 }, by('ada'));
  await it.read('1', 2);
  await it.end(2);
  expect(await it.inbox('ada')).toMatchObject([
    { from: 'furrow', body: expect.stringContaining('bob ended its attempt without an answer') },
  ]);
  it.at.now = 6000;
  await followConversations(it.farm);
  expect(await it.inbox('ada')).toMatchObject([{ from: 'furrow', body: expect.stringContaining('its deadline has passed') }]);
  await calls.ask({ to: 'cy', text: 'still there?' }, by('ada'));
  await it.end(1);
  const { messages: all } = await calls.messages({ thread: '1' }, by());
  expect(all.map((one) => [one.to, one.receipt])).toEqual([
    ['bob', 'unanswered'],
    ['cy', 'expired'],
    ['ada', 'seen'],
    ['ada', 'seen'],
  ]);
  expect((await calls.messages({}, by())).messages.at(-1)).toMatchObject({ to: 'cy', receipt: 'withdrawn', state: 'dead' });
});

it('a chain of answers to answers ends, and so does one of questions behind questions', async () => {
  await using it = await desk();
  const { calls, by } = it;
  await calls.notify({ to: 'bob', text: 'hello' }, by('ada'));
  for (const [id, name, attempt] of [
    ['1', 'bob', 2],
    ['2', 'ada', 1],
    ['3', 'bob', 2],
  ] as const) {
    await it.read(id, attempt);
    await calls.reply({ to: id, text: 'and you?' }, by(name));
  }
  await it.read('4', 1);
  await expect(calls.reply({ to: '4', text: 'and you?' }, by('ada'))).rejects.toMatchObject({ code: 'TOO_MANY_HOPS' });
  for (const [from, to, attempt] of [
    ['ada', 'bob', 2],
    ['bob', 'cy', 3],
    ['cy', 'ada', 1],
    ['ada', 'bob', 2],
  ] as const) {
    const { id } = await calls.ask({ to, text: 'do you know?' }, by(from));
    await it.read(id!, attempt);
  }
  await expect(calls.ask({ to: 'cy', text: 'do you know?' }, by('bob'))).rejects.toMatchObject({ code: 'TOO_MANY_HOPS' });
  expect(await calls.notify({ to: 'human', text: 'we go in circles' }, by('cy'))).toMatchObject({ to: 'human' });
});

it('groups get a message each, oneself is none of them, and an agent without a task gets it later', async () => {
  await using it = await desk();
  const { calls, by } = it;
  expect(await calls.broadcast({ to: '@all', text: 'x' }, by('ada'))).toEqual({
    thread: '1',
    ids: ['1', '2'],
    to: ['bob', 'cy'],
    waits: null,
  });
  expect(await calls.notify({ to: '@phase', text: 'x' }, by('ada'))).toMatchObject({ to: 'bob' });
  await expect(calls.notify({ to: 'ada', text: 'x' }, by('ada'))).rejects.toMatchObject({ code: 'USAGE' });
  await expect(calls.ask({ text: 'x' }, by())).rejects.toMatchObject({ code: 'NOT_AN_AGENT' });
  await it.db.transaction().execute((tx) => advanceAgent(tx, 'bob', { on: 'freed', attempt: 2 }, 1));
  expect((await calls.notify({ to: 'bob', text: 'x' }, by())).waits).toMatch(/^bob has no task now: it gets this with its next task/);
});

it('what was read counts only when its reader says so, and nothing passes a message that is on its way', async () => {
  await using it = await desk();
  const { calls, by } = it;
  for (const text of ['one', 'two', 'three']) await calls.notify({ to: 'bob', text }, by());
  const hold = async () => (await calls.inbox({ take: true, hold: true }, by('bob'))).messages.filter((one) => one.state !== 'delivered');
  expect((await hold()).map((one) => one.body)).toEqual(['one', 'two', 'three']);
  await calls.inbox({ ack: ['1'] }, by('bob'));
  expect(
    (await hold()).map((one) => one.body),
    'its reader died before it said so',
  ).toEqual(['two', 'three']);
  await calls.inbox({ ack: ['2', '3'] }, by('ada'));
  expect(await hold(), 'nobody says it for another').toHaveLength(2);
  await calls.inbox({ ack: ['2', '3'] }, by('bob'));
  for (const text of ['four', 'five']) await calls.notify({ to: 'bob', text }, by());
  await it.db.transaction().execute((tx) => markHanded(tx, 4, 'hook', 2, 1));
  expect(await hold()).toEqual([]);
});

it('a person reads what agents tell them, and an agent that nobody reads to is not sent more', async () => {
  await using it = await desk();
  const { calls, by } = it;
  await calls.notify({ to: 'human', text: 'the API is up' }, by('ada'));
  const { messages: seen } = await calls.inbox({}, by());
  expect(seen).toMatchObject([{ to: 'human', state: 'pending', body: 'the API is up' }]);
  await calls.inbox({ ack: ['1'] }, by());
  expect((await calls.inbox({}, by())).messages).toMatchObject([{ receipt: 'seen' }]);
  for (let n = 0; n < MOST_WAITING; n++) await calls.notify({ to: 'cy', text: 'x' }, by());
  await expect(calls.notify({ to: 'cy', text: 'x' }, by('ada'))).rejects.toMatchObject({ code: 'TRY_AGAIN' });
  await calls.notify({ to: 'cy', text: 'a person is heard' }, by());
});

it('a job is spoken for by the attempt that has it alone, and its end is told', async () => {
  await using it = await desk();
  const { calls, by } = it;
  const { id } = await calls.jobSend({ to: 'bob', text: 'measure it' }, by('ada'));
  await it.read(id, 2);
  const update = (name: string, state: 'running' | 'completed', text: string) => calls.jobUpdate({ id, state, text }, by(name));
  await expect(update('cy', 'completed', 'x')).rejects.toMatchObject({ code: 'NO_JOB' });
  await expect(update('ada', 'completed', 'x')).rejects.toMatchObject({ code: 'NOT_YOURS' });
  await expect(update('bob', 'completed', 'x'.repeat(5000))).rejects.toMatchObject({ code: 'USAGE' });
  expect(await update('bob', 'running', '3 of 5')).toMatchObject({ state: 'running', note: '3 of 5' });
  await expect(calls.jobCancel({ id, reason: 'x' }, by('cy'))).rejects.toMatchObject({ code: 'NO_JOB' });
  expect(await calls.jobCancel({ id, reason: 'not needed' }, by())).toEqual({ id, state: 'running', stopped: false });
  await expect(calls.reply({ to: id, text: 'done' }, by('bob'))).rejects.toMatchObject({ code: 'USAGE' });
  expect(await update('bob', 'completed', '170 ms')).toMatchObject({ state: 'completed', result: '170 ms', cancelling: null });
  await expect(update('bob', 'completed', 'again')).rejects.toMatchObject({ code: 'CLOSED' });
  expect(await it.inbox('ada')).toMatchObject([{ from: 'bob', body: `Job j${id} is completed.\n170 ms` }]);
  expect((await calls.jobList({}, by('cy'))).jobs).toEqual([]);
});

it('an agent that finds its job in the list ends it before the message was handed to it, and only its own', async () => {
  await using it = await desk();
  const { id } = await it.calls.jobSend({ to: 'bob', text: 'measure it' }, it.by('ada'));
  const done = (name: string) => it.calls.jobUpdate({ id, state: 'completed', text: '170 ms' }, it.by(name));
  await expect(done('ada')).rejects.toMatchObject({ code: 'NOT_YOURS' });
  expect(await it.inbox('bob')).toHaveLength(1);
  const { id: next } = await it.calls.jobSend({ to: 'bob', text: 'measure it again' }, it.by('ada'));
  await it.calls.jobUpdate({ id: next, state: 'completed', text: '160 ms' }, it.by('bob'));
  expect(await it.calls.jobShow({ id: next }, it.by('bob'))).toMatchObject({ state: 'completed', result: '160 ms' });
  expect(await it.inbox('bob')).toEqual([]);
});

it('says nothing by itself: with nothing open, no message is sent and no time is set', async () => {
  await using it = await desk();
  it.at.now = 1e9;
  await followConversations(it.farm);
  expect([(await it.calls.messages({}, it.by())).messages, it.farm.alarm]).toEqual([[], {}]);
});

/** Two agents more, so that words can spread. */
async function crowd(orchestrator = false) {
  const it = await desk(orchestrator);
  for (const [n, name] of ['dee', 'eve'].entries()) {
    const agent = { name, idx: n + 4, phase: 'api', kind: 'claude', worktree: '', port: 0 };
    await it.db.transaction().execute(async (tx) => {
      await addAgent(tx, agent, 1);
      await advanceAgent(tx, name, { on: 'taken', attempt: n + 4 }, 1);
    });
    await addAttempt(it.db, n + 4, name);
  }
  const open = async () => (await openQuestions(it.db, { kinds: ['spread'] }))[0];
  const answer = async (text: string) => {
    const row = (await open())!;
    await it.db.transaction().execute(async (tx) => {
      await answerSpread(tx, row, text, it.at.now);
      await answerQuestion(tx, row, text, it.at.now);
    });
  };
  const states = async () => (await it.db.selectFrom('message').selectAll().orderBy('id').execute()).map((one) => one.state);
  return { ...it, open, answer, states };
}

it('the same words to a fourth receiver wait for a person, as one question with the words and all that would get them; a yes sends them', async () => {
  await using it = await crowd();
  const { calls, by } = it;
  for (const to of ['bob', 'cy', 'dee']) expect((await calls.notify({ to, text: 'Pass this on!' }, by('ada'))).waits).toBeNull();
  // Neither spaces nor capital letters make other words, and nobody is counted twice.
  expect((await calls.notify({ to: 'bob', text: 'pass this on!' }, by('ada'))).waits).toBeNull();
  expect(await it.open()).toBeUndefined();
  const held = await calls.notify({ to: 'eve', text: ' pass  THIS on! ' }, by('ada'));
  expect(held.waits).toMatch(/^held: a person is asked/);
  expect(await it.open()).toMatchObject({ agent: 'ada', reason: expect.stringContaining('pass  THIS on!') });
  expect((await it.open())?.reason).toMatch(/to eve\. bob, cy, dee got the same before/);
  expect(await it.inbox('eve')).toEqual([]);
  // It holds up nothing that comes after it.
  await calls.notify({ to: 'eve', text: 'something else' }, by('ada'));
  expect((await it.inbox('eve')).map((one) => one.body)).toEqual(['something else']);
  await it.answer('yes');
  expect((await it.inbox('eve')).map((one) => one.body.trim())).toEqual(['pass  THIS on!']);
  expect(await it.open()).toBeUndefined();
});

it('a no makes dead letters with the reason, closes what was asked, and is told to the sender', async () => {
  await using it = await crowd();
  const { calls, by } = it;
  const asked = await calls.askMany({ to: ['bob', 'cy', 'dee', 'eve'], text: 'may I?' }, by('ada'));
  expect(asked.waits).toMatch(/^held/);
  expect(await it.states()).toEqual(['held', 'held', 'held', 'held']);
  expect((await openQuestions(it.db, { kinds: ['spread'] })).length).toBe(1);
  expect((await it.open())?.reason).toMatch(/tell the same to bob, cy, dee, eve\. It says: may I\?/);
  await expect(it.answer('perhaps')).rejects.toMatchObject({ code: 'NOT_AN_ANSWER' });
  await it.answer('no: ask one of them');
  const rows = await it.db.selectFrom('message').selectAll().orderBy('id').execute();
  expect(rows.slice(0, 4).map((one) => [one.state, one.ask, one.reason])).toEqual(
    Array.from({ length: 4 }, () => ['dead', 'dead', 'a person refused to send it to so many: ask one of them']),
  );
  expect((await it.inbox('ada')).map((one) => one.body)).toContainEqual(expect.stringContaining('reached nobody'));
});

it('a person tells all at once, and so does an orchestrator that tells a group; one after the other its words are held, too', async () => {
  await using it = await crowd(true);
  const { calls, by } = it;
  await calls.broadcast({ to: '@all', text: 'lunch' }, by());
  expect((await calls.broadcast({ to: '@all', text: 'the API has changed' }, by('ada'))).waits).toBeNull();
  for (const to of ['bob', 'cy', 'dee']) await calls.notify({ to, text: 'psst' }, by('ada'));
  expect((await calls.notify({ to: 'eve', text: 'psst' }, by('ada'))).waits).toMatch(/^held/);
  expect((await it.states()).filter((one) => one === 'held')).toHaveLength(1);
});
