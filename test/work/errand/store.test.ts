import { describe, expect, it } from 'vitest';
import type { Tx } from '../../../src/journal/store.ts';
import { readSaid } from '../../../src/work/attempt/end-report.ts';
import { beginAttempt, readAttempt } from '../../../src/work/attempt/store.ts';
import {
  beginErrand,
  endErrand,
  errandOf,
  errandsAbout,
  type NewErrand,
  noteResult,
  pruneErrands,
} from '../../../src/work/errand/store.ts';
import { addTasks, advance, readTask } from '../../../src/work/task/store.ts';
import { newStore } from '../../support/store.ts';
import { taskRow } from '../task/row.ts';

const REVIEW: NewErrand = {
  purpose: 'review',
  about: 'p/7',
  phase: 'p',
  kind: 'codex',
  title: 'Review of 7',
  brief: 'look at it',
  base: 'c0ffee',
  notBy: 'ada',
};

const ATTEMPT = { n: 1, agent: 'bob', kind: 'codex', settings: null, base: 'c0ffee', branch: 'b', target: 'main', deadline: null };

/** Runs in one transaction of a new store with the task p/7. */
async function withTask(work: (tx: Tx) => Promise<void>): Promise<void> {
  await using store = await newStore();
  await store.db.transaction().execute(async (tx) => {
    await addTasks(tx, [taskRow('7')]);
    await work(tx);
  });
}

describe('an errand', () => {
  it('is named by its purpose, what it is about and a number that is free', () =>
    withTask(async (tx) => {
      await addTasks(tx, [taskRow('review-7-2')]);
      expect(await beginErrand(tx, REVIEW, 1)).toBe('p/review-7-1');
      expect(await beginErrand(tx, REVIEW, 2)).toBe('p/review-7-3');
      expect(await beginErrand(tx, { ...REVIEW, about: null, purpose: 'split' }, 3)).toBe('p/split-1');
      expect(await beginErrand(tx, { ...REVIEW, about: `p/${'x'.repeat(64)}` }, 4)).toMatch(/^p\/[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/);
    }));

  it('is found by its ref and by what it is about, with its answer', () =>
    withTask(async (tx) => {
      const ref = await beginErrand(tx, REVIEW, 1);
      await noteResult(tx, ref, 'APPROVE');
      expect(await errandOf(tx, ref)).toMatchObject({
        purpose: 'review',
        about: 'p/7',
        base: 'c0ffee',
        result: 'APPROVE',
        standing: 'open',
      });
      expect((await errandsAbout(tx, 'p/7')).map((one) => one.ref)).toEqual([ref]);
      expect(await errandOf(tx, 'p/7')).toBeUndefined();
    }));

  it('is written into no file: its task has none', () =>
    withTask(async (tx) => {
      const ref = await beginErrand(tx, REVIEW, 1);
      await advance(tx, ref, { on: 'claimed', holder: 'bob', token: 1 }, 2, { tell: { status: 'in-progress' } });
      expect((await readTask(tx, ref)).want).toBeNull();
    }));

  it('that nobody has begun ends at once when it is not wanted; one under way is stopped first', () =>
    withTask(async (tx) => {
      const [waits, runs] = [await beginErrand(tx, REVIEW, 1), await beginErrand(tx, REVIEW, 2)];
      await advance(tx, runs, { on: 'claimed', holder: 'bob', token: 1 }, 3);
      const attempt = await beginAttempt(tx, { ...ATTEMPT, task: runs }, 3);
      for (const ref of [waits, runs]) await endErrand(tx, ref, 'the work was taken back', { now: 4, awake: 40 });
      expect(await readTask(tx, waits)).toMatchObject({ standing: 'landed', status: 'done' });
      expect((await readTask(tx, runs)).standing).toBe('leased');
      expect(readSaid((await readAttempt(tx, attempt)).said)).toEqual({ givenUp: 'the work was taken back', at: 40 });
    }));

  it('is deleted when it has been over for long, and the tasks of the board are not', async () => {
    await using store = await newStore();
    await store.db.transaction().execute(async (tx) => {
      await addTasks(tx, [taskRow('7')]);
      await advance(tx, 'p/7', { on: 'unchanged' }, 1);
      for (const now of [1, 2, 900]) await endErrand(tx, await beginErrand(tx, REVIEW, now), 'over', { now, awake: now });
      await beginErrand(tx, REVIEW, 3);
    });
    expect(await pruneErrands(store.db, 500, 1)).toBe(1);
    expect(await pruneErrands(store.db, 500, 10)).toBe(1);
    expect(await pruneErrands(store.db, 500, 10)).toBe(0);
    expect((await errandsAbout(store.db, 'p/7')).map((one) => one.standing)).toEqual(['landed', 'open']);
    expect((await readTask(store.db, 'p/7')).standing).toBe('landed');
  });
});
