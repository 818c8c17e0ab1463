import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { answers } from '../../../src/daemon/calls/answer.ts';
import type { Desk } from '../../../src/daemon/calls/context.ts';
import type { Report } from '../../../src/daemon/farm/report.ts';
import { type Request, Requests, readAnswers, readLeave } from '../../../src/daemon/host/agents/requests.ts';
import type { RunningAttempt } from '../../../src/daemon/host/agents/running.ts';
import type { Host } from '../../../src/daemon/host/host.ts';
import { storeReport } from '../../../src/daemon/leader/store-report.ts';
import { eventsAfter } from '../../../src/journal/event.ts';
import { openStore } from '../../../src/journal/store.ts';
import { leaderAnswersOn } from './leader-answers-on.ts';

const NO_END = new AbortController().signal;
const LIVE = { attempt: 7, agent: 'ada', task: 'default/3', n: 1 } as RunningAttempt;
const REQUEST: Request = { kind: 'permission', request: 'p1', reason: 'ada asks to run make' };

/** The desk of questions, on a real store; `timeout` as in furrow.yaml. */
async function desk(timeout = 3_600_000) {
  const dir = await mkdtemp(join(tmpdir(), 'furrow-requests-'));
  const db = await openStore(join(dir, 'store.db'));
  const time = { now: 1_000_000 };
  const asked = { changed: () => {} };
  const clock = { now: () => time.now, awake: () => time.now };
  const farm = {
    db,
    clock,
    leader: leaderAnswersOn(db, { clock }),
    report: (report: Report) => storeReport({ db, clock }, report),
    config: { permissions: { timeout } },
    wake: () => asked.changed(),
  } as unknown as Host;
  const made = new Requests(farm);
  const all = () => db.selectFrom('question').selectAll().orderBy('id').execute();
  return {
    time,
    requests: made,
    /** A call that waits for a person, once it does. */
    async ask(request = REQUEST, signal = NO_END) {
      const open = new Promise<void>((resolve) => {
        asked.changed = resolve;
      });
      const words = made.ask(LIVE, request, signal);
      await open;
      return { words };
    },
    answer: answers({ farm, requests: made } as unknown as Desk, () => Promise.reject(new Error('nothing is split here'))).answer,
    all,
    open: async () => (await all()).filter((row) => row.closed === null).map((row) => row.id),
    kinds: async () => (await eventsAfter(db, 0)).map(({ kind }) => kind),
    [Symbol.asyncDispose]: async () => {
      await db.destroy();
      await rm(dir, { recursive: true });
    },
  };
}

const context = { caller: { kind: 'person' }, signal: NO_END, item() {} } as const;

describe('a request of an agent', () => {
  it('is one question, and the answer reaches whoever waits and closes it', async () => {
    await using at = await desk();
    const { words } = await at.ask();
    const [id] = await at.open();
    expect(await at.answer({ question: String(id), text: 'allow' }, context)).toEqual({ id: String(id) });
    expect(await words).toBe('allow');
    expect(await at.all()).toMatchObject([{ kind: 'permission', agent: 'ada', answer: 'answered: allow', expires: 4_600_000 }]);
    expect(await at.kinds()).toEqual(['question.opened', 'question.closed']);
    await expect(at.answer({ question: String(id), text: 'deny' }, context)).rejects.toMatchObject({ code: 'NO_QUESTION' });
  });

  it('asked once more by a connection that was opened again has one question, one waiter and its first end', async () => {
    await using at = await desk();
    const first = await at.ask();
    at.time.now += 60_000;
    const second = await at.ask();
    expect(await first.words).toBeUndefined();
    const [id, ...more] = await at.open();
    expect(more).toEqual([]);
    await at.answer({ question: String(id), text: 'deny: not now' }, context);
    expect(await second.words).toBe('deny: not now');
    expect(await at.all()).toMatchObject([{ expires: 4_600_000, answer: 'answered: deny: not now' }]);
  });

  it('that had its time before the connection was opened again is denied, not asked for as long once more', async () => {
    await using at = await desk();
    const gone = new AbortController();
    const first = await at.ask(REQUEST, gone.signal);
    gone.abort();
    expect(await first.words).toBeUndefined();
    at.time.now += 3_600_001;
    expect(readLeave((await (await at.ask()).words) ?? '')).toEqual({ do: 'deny', reason: 'nobody answered in time' });
    expect(await at.open()).toEqual([]);
  });

  it('that nobody answers is denied when its time is over, and no longer open', async () => {
    await using at = await desk(1);
    expect(readLeave((await at.requests.ask(LIVE, REQUEST, NO_END)) ?? '')).toEqual({ do: 'deny', reason: 'nobody answered in time' });
    expect(await at.all()).toMatchObject([{ closed: expect.any(Number), answer: 'denied: nobody answered in time' }]);
  });

  it('may wait for longer than a timer of the machine can', async () => {
    await using at = await desk(2 ** 31);
    const { words } = await at.ask();
    const [id] = await at.open();
    // A timer that overflows rings at once: it would have rung before the second of two that follow each other.
    await new Promise((rung) => setTimeout(rung, 1));
    await new Promise((rung) => setTimeout(rung, 1));
    await at.requests.answer(id!, 'allow');
    expect(await words).toBe('allow');
  });

  it('stays open when nobody waits any more, and an answer then says that it reached nobody and where to go', async () => {
    await using at = await desk();
    const gone = new AbortController();
    const { words } = await at.ask(REQUEST, gone.signal);
    gone.abort();
    expect(await words).toBeUndefined();
    const [id] = await at.open();
    await expect(at.answer({ question: String(id), text: 'allow' }, context)).rejects.toMatchObject({
      code: 'NOT_REACHED',
      message: expect.stringContaining('ada can be answered only in its window'),
      hint: 'furrow attach ada',
    });
    expect(await at.open()).toEqual([id]);
  });

  it('answered in the window is settled, by its own name and whether or not anybody waits', async () => {
    await using at = await desk();
    const gone = new AbortController();
    await at.ask({ ...REQUEST, request: 'p1' }, gone.signal);
    gone.abort();
    const second = await at.ask({ ...REQUEST, request: 'p2' });
    const third = await at.ask({ ...REQUEST, request: 'p3' });
    await at.requests.answeredInWindow(LIVE, 'p2');
    expect(await second.words).toBeUndefined();
    await at.requests.answeredInWindow({ ...LIVE, attempt: 8 }, '');
    await expect.poll(at.open).toEqual([1, 3]);
    await at.requests.answeredInWindow(LIVE, '');
    expect(await third.words).toBeUndefined();
    expect((await at.all()).map((row) => row.answer)).toEqual(Array(3).fill('answered in its window'));
  });
});

describe('the words of a person', () => {
  it.each(['allow', 'yes', ' Y ', 'OK.', 'allow:', 'yes\n'])('%j is leave', (text) => expect(readLeave(text)).toEqual({ do: 'allow' }));

  it.each([
    ['deny', 'a person said no'],
    ['No.', 'a person said no'],
    ['deny: use make test', 'use make test'],
    ['no, use\nmake test', 'use\nmake test'],
    ['not on a Sunday', 'not on a Sunday'],
    // Nothing is allowed by half.
    ['yes, but only once', 'yes, but only once'],
    ['allowed', 'allowed'],
    ['¿qué?', '¿qué?'],
  ])('%j is a no with the reason %j', (text, reason) => expect(readLeave(text)).toEqual({ do: 'deny', reason }));

  const colours = { text: 'Which colour?', options: ['Red', 'Green', 'Red, then green'] };
  const name = { text: 'What name?', options: [] };
  it.each([
    ['red', [colours], [['Red']]],
    ['green , RED', [colours], [['Green', 'Red']]],
    ['red, then green', [colours], [['Red, then green']]],
    ['red, and a bit of blue', [colours], [['red, and a bit of blue']]],
    [' a; b, c ', [name], [['a; b, c']]],
    ['green; Ada, Countess', [colours, name], [['Green'], ['Ada, Countess']]],
    ['green', [colours, colours], [['Green'], ['Green']]],
  ])('%j answers each question, in the words of its options where it means one', (text, questions, given) =>
    expect(readAnswers(text, questions)).toEqual({ do: 'answer', answers: given }),
  );
});
