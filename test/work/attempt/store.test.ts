import { expect, it } from 'vitest';
import { readSaid } from '../../../src/work/attempt/end-report.ts';
import {
  advanceAttempt,
  attemptAt,
  attemptsAt,
  beginAttempt,
  lastAttemptAt,
  lastAttemptBy,
  noteWord,
  numberFrom,
  openAttempts,
  readAttempt,
} from '../../../src/work/attempt/store.ts';
import { newStore } from '../../support/store.ts';

const BEGUN = { agent: 'ada', kind: 'k', settings: null, base: 'b', branch: 'x', target: 'main', deadline: null };

it('an attempt goes from its start to its end in the store, and a second end changes nothing', async () => {
  await using at = await newStore();
  await at.db.transaction().execute(async (tx) => {
    const id = await beginAttempt(tx, { ...BEGUN, task: 'p/1', n: 1 }, 10);
    const other = await beginAttempt(tx, { ...BEGUN, task: 'p/2', n: 1 }, 10);
    expect(await advanceAttempt(tx, id, { on: 'started' }, { pid: 5, pid_start: 's' })).toMatchObject({ state: 'running', pid: 5 });
    expect((await openAttempts(tx)).map((one) => one.id)).toEqual([id, other]);
    const end = { ended: 20, outcome: 'submitted', reason: '1 commit', sha: 'c' } as const;
    expect(await advanceAttempt(tx, id, { on: 'ended' }, end)).toMatchObject({ state: 'ended', ...end });
    expect(await advanceAttempt(tx, id, { on: 'ended' }, { ended: 30, outcome: 'crashed' })).toBeUndefined();
    expect(await attemptAt(tx, 'p/1', 1)).toMatchObject({ id, ended: 20, outcome: 'submitted' });
    expect((await openAttempts(tx)).map((one) => one.id)).toEqual([other]);
  });
});

it('the word that ends an attempt is kept with the time at which it came', async () => {
  await using at = await newStore();
  await at.db.transaction().execute(async (tx) => {
    const id = await beginAttempt(tx, { ...BEGUN, task: 'p/1', n: 1 }, 10);
    await noteWord(tx, id, { done: 'all of it' }, 77, 'all of it');
    const row = await readAttempt(tx, id);
    expect([readSaid(row.said), row.summary]).toEqual([{ done: 'all of it', at: 77 }, 'all of it']);
    await noteWord(tx, id, { blocked: 'no key' }, 78);
    expect((await readAttempt(tx, id)).summary).toBe('all of it');
  });
});

it('the newest attempt is found by its task and by its agent', async () => {
  await using at = await newStore();
  await at.db.transaction().execute(async (tx) => {
    const first = await beginAttempt(tx, { ...BEGUN, task: 'p/1', n: 1 }, 10);
    const second = await beginAttempt(tx, { ...BEGUN, task: 'p/1', n: 2, agent: 'bob' }, 20);
    const other = await beginAttempt(tx, { ...BEGUN, task: 'p/2', n: 1 }, 30);
    expect((await attemptsAt(tx, 'p/1')).map(({ id }) => id)).toEqual([first, second]);
    expect([(await lastAttemptAt(tx, 'p/1'))?.id, (await lastAttemptBy(tx, 'ada'))?.id]).toEqual([second, other]);
    expect(await lastAttemptAt(tx, 'p/9')).toBeUndefined();
  });
});

it('ids go on from where they are told to, once, and never back', async () => {
  await using at = await newStore();
  await at.db.transaction().execute(async (tx) => {
    const begin = (n: number) => beginAttempt(tx, { ...BEGUN, task: 'p/1', n }, 10);
    expect(await begin(1)).toBe(1);
    await numberFrom(tx, 300_000);
    expect([await begin(2), await begin(3)]).toEqual([300_000, 300_001]);
    await numberFrom(tx, 5);
    expect(await begin(4)).toBe(300_002);
  });
});
