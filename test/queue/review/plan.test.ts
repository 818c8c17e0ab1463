import { describe, expect, it } from 'vitest';
import {
  planReviews,
  type ReviewErrand,
  type ReviewedEntry,
  type ReviewSnapshot,
  roundOf,
  waitFor,
} from '../../../src/queue/review/plan.ts';
import type { Review } from '../../../src/queue/review/store.ts';

const entry = (more: Partial<ReviewedEntry> = {}): ReviewedEntry => ({
  id: 1,
  task: 'p/7',
  sha: 'aaa',
  rule: 'review: true of task 7',
  approved: false,
  landed: 0,
  ...more,
});

const review = (more: Partial<Review> = {}): Review => ({
  id: 1,
  task: 'p/7',
  sha: 'aaa',
  round: 1,
  state: 'asked',
  kind: 'codex',
  errand: 'p/review-7-1',
  reviewer: null,
  requested: 0,
  told: 0,
  summary: null,
  findings: [],
  at: 10,
  ended: null,
  ...more,
});

const waiting: ReviewErrand = { result: null, agent: null, parked: null, over: false };
const answered = (result: string | null): ReviewErrand => ({ ...waiting, result, agent: 'ada', over: true });

const snapshot = (entries: ReviewedEntry[], reviews: Review[] = [], errand: ReviewErrand | null = waiting, rounds = 2): ReviewSnapshot => ({
  entries,
  reviews,
  errands: new Map(errand ? [['p/review-7-1', errand]] : []),
  rounds,
});

const CASES: readonly [string, ReviewSnapshot, object[]][] = [
  ['an entry that a rule asks about is reviewed', snapshot([entry()]), [{ do: 'ask', entry: 1, round: 1 }]],
  ['one that no rule asks about is not', snapshot([entry({ rule: undefined })]), []],
  ['one that a person has approved is not', snapshot([entry({ approved: true })]), []],
  ['nobody is asked twice', snapshot([entry()], [review()]), []],
  [
    'an answer is stored',
    snapshot([entry()], [review()], answered('APPROVE')),
    [{ do: 'store', review: 1, by: 'ada', answer: { verdict: 'approve' } }],
  ],
  [
    'an errand that ended without an answer is for a person',
    snapshot([entry()], [review()], answered(null)),
    [{ do: 'store', review: 1, by: 'ada', answer: { verdict: 'unreadable' } }],
  ],
  ['a review whose errand is gone makes room for another', snapshot([entry()], [review()], null), [{ do: 'drop', review: 1 }]],
  ['after that another is asked for', snapshot([entry()], [review({ state: 'dropped' })]), [{ do: 'ask', entry: 1, round: 1 }]],
  ['findings go back', snapshot([entry()], [review({ state: 'findings' })]), [{ do: 'hand-back', entry: 1, review: 1 }]],
  ['after the last round they do not', snapshot([entry()], [review({ state: 'findings', round: 2 })]), []],
  ['an approval needs nothing more', snapshot([entry()], [review({ state: 'approved' })]), []],
  ['an overruled one neither', snapshot([entry()], [review({ state: 'overruled' })]), []],
  ['one that cannot be read waits for a person', snapshot([entry()], [review({ state: 'unreadable' })]), []],
  [
    'an approval of other commits is none: mended work is reviewed anew, in the next round',
    snapshot([entry({ sha: 'bbb' })], [review({ state: 'findings' })]),
    [{ do: 'ask', entry: 1, round: 2 }],
  ],
  [
    'a review of a commit that has left the queue is dropped',
    snapshot([entry({ sha: 'bbb' })], [review()]),
    [
      { do: 'drop', review: 1 },
      { do: 'ask', entry: 1, round: 1 },
    ],
  ],
];

describe('reviews', () => {
  it.each(CASES)('%s', (_what, at, actions) => expect(planReviews(at)).toMatchObject(actions));

  it.each(CASES.map(([what, at]) => [what, at] as const))('nothing lands before its review: %s', (_what, at) => {
    const [only] = at.entries;
    const newest = at.reviews.findLast((one) => one.sha === only!.sha && one.state !== 'dropped');
    const free = only!.approved || (newest ? ['approved', 'overruled'].includes(newest.state) : only!.rule === undefined);
    expect(waitFor(at, only!) === undefined).toBe(free);
  });

  it('count their rounds from the last landing of the task', () => {
    const before = [review({ sha: 'x', state: 'findings', at: 5 }), review({ sha: 'y', state: 'findings', at: 15 })];
    expect(roundOf(before, entry())).toBe(3);
    expect(roundOf(before, entry({ landed: 9 }))).toBe(2);
    expect(roundOf(before, entry({ landed: 20 }))).toBe(1);
  });
});

describe('an entry says what it waits for', () => {
  const says = (at: ReviewSnapshot) => waitFor(at, at.entries[0]!);
  it.each<[ReviewSnapshot, string, boolean]>([
    [snapshot([entry()]), 'waits for a review', false],
    [snapshot([entry()], [review()]), 'waits for the review by an agent of kind codex, which is not free yet, round 1', false],
    [snapshot([entry()], [review()], { ...waiting, agent: 'ada' }), 'waits for the review by ada (codex), round 1', false],
    [
      snapshot([entry()], [review()], { ...waiting, parked: '3 attempts failed' }),
      'its review is parked (3 attempts failed): furrow retry review-7-1, or furrow approve 7',
      true,
    ],
    [snapshot([entry()], [review({ state: 'findings', reviewer: 'ada' })]), 'goes back: ada has findings', false],
    [
      snapshot([entry()], [review({ state: 'findings', reviewer: 'ada', round: 2 })]),
      'ada still has findings after 2 rounds, and it waits for your word: furrow next',
      true,
    ],
    [
      snapshot([entry()], [review({ state: 'unreadable', reviewer: 'ada' })]),
      'the review by ada cannot be read, and waits for your word: furrow next',
      true,
    ],
  ])('%#', (at, text, person) => expect(says(at)).toEqual({ text, person }));
});
