import { describe, expect, it } from 'vitest';
import type { ReviewState } from '../../../src/journal/rows/review.ts';
import { lets, type ReviewEvent, step } from '../../../src/queue/review/state.ts';

const STATES: readonly ReviewState[] = ['asked', 'approved', 'findings', 'unreadable', 'overruled', 'dropped'];

const TABLE: readonly [ReviewEvent, Partial<Record<ReviewState, ReviewState>>][] = [
  [{ on: 'answered', verdict: 'approve' }, { asked: 'approved' }],
  [{ on: 'answered', verdict: 'findings' }, { asked: 'findings' }],
  [{ on: 'answered', verdict: 'unreadable' }, { asked: 'unreadable' }],
  [{ on: 'overruled' }, { asked: 'overruled', findings: 'overruled', unreadable: 'overruled' }],
  [{ on: 'dropped' }, { asked: 'dropped', unreadable: 'dropped' }],
];

describe('a review', () => {
  it.each(TABLE)('%j leads where the table says, and nowhere else', (event, table) => {
    expect(Object.fromEntries(STATES.map((from) => [from, step(from, event)]))).toEqual(
      Object.fromEntries(STATES.map((from) => [from, table[from]])),
    );
  });

  it('lets its commit land when it approves, or when a person overruled it', () => {
    expect(STATES.filter(lets)).toEqual(['approved', 'overruled']);
  });
});
