import { describe, expect, it } from 'vitest';
import { eventsAfter } from '../../../src/journal/event.ts';
import type { Tx } from '../../../src/journal/store.ts';
import { readAnswer } from '../../../src/queue/review/answer.ts';
import {
  addReview,
  answerReview,
  askedReviews,
  dropReview,
  overruleReview,
  pruneReviews,
  reviewFor,
  reviewsOf,
  tellUnreadable,
} from '../../../src/queue/review/store.ts';
import { submitEntry } from '../../../src/work/entry/store.ts';
import { newStore } from '../../support/store.ts';

const NEW = { task: 'p/7', sha: 'c0ffee00dd', round: 1, kind: 'codex', errand: 'p/review-7-1', requested: false };

/** Runs in one transaction of a new store with one review that was asked for. */
async function asked(work: (tx: Tx, id: number) => Promise<void>): Promise<void> {
  await using store = await newStore();
  await store.db.transaction().execute(async (tx) => work(tx, await addReview(tx, NEW, 10)));
}

const kinds = async (tx: Tx) => (await tx.selectFrom('event').select('kind').orderBy('seq').execute()).map(({ kind }) => kind);
const only = async (tx: Tx) => (await reviewsOf(tx, ['p/7']))[0]!;

describe('a review in the store', () => {
  it('is asked for and answered once, and the log tells of it in the same transaction', () =>
    asked(async (tx) => {
      expect(await askedReviews(tx)).toMatchObject([{ task: 'p/7', state: 'asked', findings: [] }]);
      const answer = readAnswer('FINDINGS: - no test');
      expect(await answerReview(tx, await only(tx), 'ada', answer, 20)).toBe(true);
      expect(await only(tx)).toMatchObject({ state: 'findings', reviewer: 'ada', ended: 20, findings: [{ text: 'no test' }] });
      expect(await answerReview(tx, await only(tx), 'bob', readAnswer('APPROVE'), 30)).toBe(false);
      expect(await only(tx)).toMatchObject({ state: 'findings', reviewer: 'ada' });
      expect([await askedReviews(tx), await kinds(tx)]).toEqual([[], ['review.asked', 'review.answered']]);
    }));

  it('keeps no key that stands in a finding', () =>
    asked(async (tx) => {
      const key = `AKIA${'A1B2C3D4E5F6G7H8'}`;
      await answerReview(tx, await only(tx), 'ada', readAnswer(`FINDINGS: - the key ${key} is in it`), 20);
      expect(JSON.stringify([await only(tx), await tx.selectFrom('event').selectAll().orderBy('seq').execute()])).not.toContain(key);
    }));

  it('tells its reviewer once that an answer cannot be read', () =>
    asked(async (tx) => {
      expect(await tellUnreadable(tx, await only(tx), 'ada', 'it is none', 20)).toBe(true);
      expect(await tellUnreadable(tx, await only(tx), 'ada', 'it is none', 30)).toBe(false);
      expect(await only(tx)).toMatchObject({ state: 'asked', told: 1 });
    }));

  it('is overruled by a person, also before anybody was asked', () =>
    asked(async (tx) => {
      expect(await overruleReview(tx, await only(tx), 'I read it', 20)).toBe(true);
      expect(await overruleReview(tx, await only(tx), 'again', 30)).toBe(false);
      expect(await overruleReview(tx, { task: 'p/8', sha: 'x', round: 1, kind: 'none' }, 'no need', 30)).toBe(true);
      expect(await reviewsOf(tx, ['p/7', 'p/8'])).toMatchObject([
        { state: 'overruled', reviewer: 'human' },
        { state: 'overruled', errand: null },
      ]);
      expect((await kinds(tx)).filter((kind) => kind === 'review.overruled')).toHaveLength(2);
    }));

  it('is dropped when its commit has left the queue, and found by its errand', () =>
    asked(async (tx, id) => {
      expect(await reviewFor(tx, NEW.errand)).toMatchObject({ id });
      expect(await dropReview(tx, await only(tx), 'it has left the queue', 20)).toBe(true);
      expect(await only(tx)).toMatchObject({ state: 'dropped', ended: 20 });
    }));

  it('is kept while its work is in the queue, however long that takes', async () => {
    await using store = await newStore();
    await store.db.transaction().execute(async (tx) => {
      for (const task of ['p/7', 'p/8']) await overruleReview(tx, { task, sha: 'x', round: 1, kind: 'none' }, '', 10);
      const work = { attempt: 1, agent: 'ada', sha: 'x', target: 'main', keep: false, asked: { by: 'agent', rules: [] } } as const;
      await submitEntry(tx, { ...work, task: { ref: 'p/7', id: '7', title: 't' } }, 10);
    });
    expect([await pruneReviews(store.db, 100, 10), await pruneReviews(store.db, 100, 10)]).toEqual([1, 0]);
    expect(await reviewsOf(store.db, ['p/7', 'p/8'])).toMatchObject([{ task: 'p/7' }]);
    expect((await eventsAfter(store.db, 0)).length).toBeGreaterThan(0);
  });
});
