import { describe, expect, it } from 'vitest';
import { handBack } from '../../../src/daemon/leader/queue/hand-back.ts';
import { requeueLandings } from '../../../src/daemon/leader/target/adopt-target.ts';
import { removeLandings, restoreLandings } from '../../../src/daemon/leader/target/removed.ts';
import { landingAt, removedLandings } from '../../../src/queue/landing/read.ts';
import { findEntry, openEntries } from '../../../src/work/entry/read.ts';
import { reworkOf } from '../../../src/work/task/rework.ts';
import { decided } from './decided.ts';

const NOBODY: ReadonlySet<string> = new Set();

describe('a landing', () => {
  it('that a commit of a person overtook is forgotten, and its work is queued again in its order', async () => {
    await using at = await decided('1', '2');
    await at.submit('p/1');
    await at.submit('p/2');
    await at.landed('c1', 'p/2', 'p/1');
    await at.inTx((tx) => requeueLandings(tx, ['c1', 'unknown'], 2000));
    expect(await landingAt(at.db, 'c1')).toBeUndefined();
    expect((await openEntries(at.db)).map(({ task, state, at: since }) => [task, state, since])).toEqual([
      ['p/2', 'queued', 2000],
      ['p/1', 'queued', 2000],
    ]);
    expect(await at.task('p/1')).toMatchObject({ standing: 'submitted', commit: null });
  });

  it('that a person took out stays out with a question, and is asked about no more once it is back', async () => {
    await using at = await decided('1');
    await at.submit('p/1');
    await at.landed('c1', 'p/1');
    for (const now of [2000, 3000]) await at.inTx((tx) => removeLandings(tx, 'main', ['c1'], NOBODY, now));
    const [removed] = await removedLandings(at.db, 'main');
    expect(removed).toMatchObject({ commit: 'c1', removed: 2000 });
    expect((await at.asked()).map(({ kind, subject }) => [kind, subject])).toEqual([['removed', 'p/1']]);
    for (const now of [4000, 5000]) await at.inTx((tx) => restoreLandings(tx, 'main', [removed!.id], now));
    expect([await removedLandings(at.db, 'main'), await at.asked()]).toEqual([[], []]);
    expect((await at.kinds()).filter((kind) => kind === 'landing.removed' || kind === 'landing.restored')).toHaveLength(2);
  });
});

describe('work that is handed back', () => {
  it('goes on from the submitted commits, and is parked with a question after three times', async () => {
    await using at = await decided('1');
    const back = { state: 'conflict', report: 'a.txt conflicts\nmore' } as const;
    for (const failures of [1, 2, 3]) {
      const entry = await at.submit('p/1');
      await at.inTx((tx) => handBack(tx, at.farm, { entries: [entry] }, { ...back, entry: entry.id }, 2000));
      expect(await findEntry(at.db, entry.id)).toMatchObject({ state: 'conflict', reason: 'a.txt conflicts', ended: 2000 });
      const task = await at.task('p/1');
      expect([task.failures, reworkOf(task)]).toMatchObject([failures, { why: 'conflict', from: 'c0ffee' }]);
    }
    expect([(await at.task('p/1')).standing, (await at.asked()).map(({ kind }) => kind)]).toEqual(['parked', ['parked']]);
  });

  it('changes nothing when the entry has ended meanwhile', async () => {
    await using at = await decided('1');
    const entry = await at.submit('p/1');
    await at.landed('c1', 'p/1');
    const told = await at.kinds();
    await at.inTx((tx) => handBack(tx, at.farm, { entries: [entry] }, { entry: entry.id, state: 'conflict', report: 'late' }, 2000));
    expect([await at.kinds(), await findEntry(at.db, entry.id)]).toMatchObject([told, { state: 'landed' }]);
  });

  it('is not rejected for a red check that quarantine has not confirmed; a person may refuse it at once', async () => {
    await using at = await decided('1');
    const entry = await at.submit('p/1');
    const no = { entry: entry.id, state: 'rejected', report: 'not this way' } as const;
    await at.inTx((tx) => handBack(tx, at.farm, { entries: [entry] }, no, 2000));
    expect([await findEntry(at.db, entry.id), await at.task('p/1')]).toMatchObject([{ state: 'queued' }, { standing: 'submitted' }]);
    await at.inTx((tx) => handBack(tx, at.farm, { entries: [entry] }, { ...no, refused: true }, 2001));
    expect([await findEntry(at.db, entry.id), reworkOf(await at.task('p/1'))]).toMatchObject([{ state: 'rejected' }, { why: 'review' }]);
  });
});
