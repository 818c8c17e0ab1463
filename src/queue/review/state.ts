import type { ReviewState } from '../../journal/rows/review.ts';
import type { Verdict } from './answer.ts';

export type ReviewEvent =
  | { readonly on: 'answered'; readonly verdict: Verdict }
  /** A person decides instead of the reviewer. */
  | { readonly on: 'overruled' }
  /** The commit has left the queue, or another review replaces this one. */
  | { readonly on: 'dropped' };

const ANSWERED: Readonly<Record<Verdict, ReviewState>> = { approve: 'approved', findings: 'findings', unreadable: 'unreadable' };

/** The next state, or `undefined` when the event does not apply: a late answer changes nothing. */
export function step(from: ReviewState, event: ReviewEvent): ReviewState | undefined {
  switch (event.on) {
    case 'answered':
      return from === 'asked' ? ANSWERED[event.verdict] : undefined;
    case 'overruled':
      return from === 'asked' || from === 'findings' || from === 'unreadable' ? 'overruled' : undefined;
    case 'dropped':
      return from === 'asked' || from === 'unreadable' ? 'dropped' : undefined;
    default:
      return event satisfies never;
  }
}

/** True if its review lets the commit land. */
export const lets = (state: ReviewState): boolean => state === 'approved' || state === 'overruled';
