import { describe, expect, it } from 'vitest';
import { eventsAfter } from '../../../src/journal/event.ts';
import type { Db, Tx } from '../../../src/journal/store.ts';
import { QUESTION_KINDS } from '../../../src/work/question/kind.ts';
import {
  answerQuestion,
  askPerson,
  closeAgentQuestions,
  closeQuestion,
  closeQuestions,
  closeTaskQuestions,
  findOpenQuestion,
  openQuestions,
  raiseQuestion,
} from '../../../src/work/question/store.ts';
import { newStore } from '../../support/store.ts';

const PARKED = { kind: 'parked', subject: 'p/1', reason: 'it failed 3 times' } as const;
const ASKS = {
  kind: 'ask',
  agent: 'ada',
  task: 'p/1',
  attempt: 2,
  reason: 'ada asks: which?',
  data: null,
  expires: null,
  answers: 'TEXT',
} as const;

const inTx = <T>(db: Db, work: (tx: Tx) => Promise<T>) => db.transaction().execute(work);
const told = async (db: Db) => (await eventsAfter(db, 0)).map(({ kind, task }) => [kind, task]);

describe('a question that is raised', () => {
  it('is told once, however often it is raised, and carries the newest reason', async () => {
    await using store = await newStore();
    expect(await inTx(store.db, (tx) => raiseQuestion(tx, PARKED, 10))).toBe(true);
    expect(await inTx(store.db, (tx) => raiseQuestion(tx, { ...PARKED, reason: 'it failed 4 times', data: '{}' }, 20))).toBe(false);
    expect(await openQuestions(store.db)).toMatchObject([{ reason: 'it failed 4 times', since: 10, data: '{}' }]);
    expect(await told(store.db)).toEqual([['question.opened', 'p/1']]);
  });

  it('shows all of its reason on one line, and says in its event how much is left out', async () => {
    await using store = await newStore();
    const reason = `ada asks to run git status \x1b[8m; rm x\n  ? 2: nothing ${'a'.repeat(900)} and rm y`;
    const shown = `ada asks to run git status ␛[8m; rm x⏎  ? 2: nothing ${'a'.repeat(900)} and rm y`;
    const id = await inTx(store.db, async (tx) => {
      await raiseQuestion(tx, { ...PARKED, reason }, 10);
      await raiseQuestion(tx, { ...PARKED, reason }, 11);
      return askPerson(tx, { ...ASKS, reason }, 20);
    });
    expect((await openQuestions(store.db)).map((one) => one.reason)).toEqual([shown, shown]);
    const texts = (await eventsAfter(store.db, 0)).map(({ data }) => (JSON.parse(data) as { text: string }).text);
    expect(texts.map((text) => text.slice(-70))).toEqual([
      expect.stringMatching(/a… 362 more characters: furrow next 1 --full$/),
      expect.stringMatching(new RegExp(`a… 362 more characters: furrow next ${id} --full; furrow answer ${id} TEXT$`)),
    ]);
  });

  it('is a new one after it was closed', async () => {
    await using store = await newStore();
    await inTx(store.db, async (tx) => {
      await raiseQuestion(tx, PARKED, 10);
      await closeQuestions(tx, 'parked', 'p/1', 'retried', 20);
      expect(await raiseQuestion(tx, PARKED, 30)).toBe(true);
    });
    expect((await openQuestions(store.db)).map(({ since }) => since)).toEqual([30]);
  });

  it('names no task when its subject is none, or when it says so', async () => {
    await using store = await newStore();
    await inTx(store.db, async (tx) => {
      await raiseQuestion(tx, { kind: 'act', subject: 'attempt:p/1', reason: 'it fails' }, 1);
      await raiseQuestion(tx, { kind: 'hanging', subject: 'unit/fast', reason: 'it hangs', task: null }, 2);
    });
    expect(await told(store.db)).toEqual([
      ['question.opened', null],
      ['question.opened', null],
    ]);
  });
});

describe('an answer', () => {
  it('counts once: a second one, or a reason that goes, changes nothing and is not told', async () => {
    await using store = await newStore();
    const id = await inTx(store.db, (tx) => askPerson(tx, ASKS, 10));
    const question = (await findOpenQuestion(store.db, id))!;
    expect(await inTx(store.db, (tx) => answerQuestion(tx, question, 'the first', 20))).toBe(true);
    expect(await inTx(store.db, (tx) => answerQuestion(tx, question, 'the second', 30))).toBe(false);
    await inTx(store.db, (tx) => closeQuestion(tx, question, 'answered in its window', 40));
    expect(await store.db.selectFrom('question').select(['closed', 'answer']).execute()).toEqual([{ closed: 20, answer: 'the first' }]);
    expect(await findOpenQuestion(store.db, id)).toBeUndefined();
    expect((await told(store.db)).map(([kind]) => kind)).toEqual(['question.opened', 'question.answered']);
  });

  it('is asked for with the command that gives it', async () => {
    await using store = await newStore();
    const id = await inTx(store.db, (tx) => askPerson(tx, ASKS, 10));
    const [event] = await eventsAfter(store.db, 0);
    expect(event).toMatchObject({ agent: 'ada', task: 'p/1', attempt: 2 });
    expect(event?.data).toContain(`furrow answer ${id} TEXT`);
  });
});

describe('what is not needed any more', () => {
  it('is closed by task, and leaves what others and other kinds ask', async () => {
    await using store = await newStore();
    await inTx(store.db, async (tx) => {
      await raiseQuestion(tx, PARKED, 1);
      await raiseQuestion(tx, { ...PARKED, subject: 'p/2' }, 2);
      await raiseQuestion(tx, { kind: 'approval', subject: 'p/1', reason: 'green' }, 3);
      await closeTaskQuestions(tx, 'p/1', 'landed', 4);
    });
    expect((await openQuestions(store.db)).map(({ kind, subject }) => [kind, subject])).toEqual([
      ['parked', 'p/2'],
      ['approval', 'p/1'],
    ]);
  });

  it('is closed by agent, all of it or of some kinds', async () => {
    await using store = await newStore();
    await inTx(store.db, async (tx) => {
      await askPerson(tx, ASKS, 1);
      await askPerson(tx, { ...ASKS, kind: 'permission', answers: 'allow|deny' }, 2);
      await askPerson(tx, { ...ASKS, agent: 'bob' }, 3);
      await closeAgentQuestions(tx, 'ada', 'started anew', 4, ['permission']);
      expect((await openQuestions(tx, { agent: 'ada' })).map(({ kind }) => kind)).toEqual(['ask']);
      await closeAgentQuestions(tx, 'ada', 'attempt 2 is over', 5);
    });
    expect((await openQuestions(store.db)).map(({ agent }) => agent)).toEqual(['bob']);
  });
});

it('a misspelt kind of question does not compile, where it is raised, looked for or closed', () => {
  // Never called: the compiler is what is tested. Each line that it lets pass makes `npm run check` fail.
  const misspelt = (tx: Tx) => [
    // @ts-expect-error the kind is `parked`
    raiseQuestion(tx, { kind: 'parkd', subject: 'p/1', reason: '' }, 0),
    // @ts-expect-error the kind is `ask`
    openQuestions(tx, { kinds: ['asks'] }),
    // @ts-expect-error the kind is `queue`
    closeQuestions(tx, 'qeue', 'queue', '', 0),
  ];
  expect(misspelt).toBeTypeOf('function');
  for (const [kind, { subject }] of Object.entries(QUESTION_KINDS)) expect(subject, kind).toMatch(/^[\w].*\.$/);
});

it('every change is told with its agent, its task and the words of the answer; the oldest question is the first', async () => {
  await using store = await newStore();
  await inTx(store.db, (tx) => raiseQuestion(tx, { ...PARKED, subject: 'p/2' }, 20));
  await inTx(store.db, (tx) => raiseQuestion(tx, { ...PARKED, agent: 'ada' }, 10));
  expect((await openQuestions(store.db)).map(({ subject }) => subject)).toEqual(['p/1', 'p/2']);
  const [first] = await openQuestions(store.db);
  await inTx(store.db, (tx) => closeQuestion(tx, first!, 'it goes on', 30, { agent: 'bob' }));
  expect((await eventsAfter(store.db, 0)).map(({ kind, agent, task, data }) => [kind, agent, task, JSON.parse(data).text])).toEqual([
    ['question.opened', null, 'p/2', 'needs you: it failed 3 times'],
    ['question.opened', 'ada', 'p/1', 'needs you: it failed 3 times'],
    ['question.closed', 'bob', 'p/1', 'no longer needs you: it goes on'],
  ]);
});
