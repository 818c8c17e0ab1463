import { type Answer, readAnswer, unreadable } from './answer.ts';
import { lets } from './state.ts';
import type { Review } from './store.ts';

/** The facts about an entry of the queue that reviews need. */
export interface ReviewedEntry {
  readonly id: number;
  /** Ref of its task or branch. */
  readonly task: string;
  readonly sha: string;
  /** The rule that asks for a review; `undefined`: none does. */
  readonly rule: string | undefined;
  /** A person has approved the commit, which overrides every review. */
  readonly approved: boolean;
  /** The time when an earlier work of the task last landed; 0: never. Earlier reviews do not count for this work. */
  readonly landed: number;
}

/** The errand of a review. */
export interface ReviewErrand {
  /** The answer of its agent; null: there is none yet. */
  readonly result: string | null;
  /** The agent that works on it, or that answered. */
  readonly agent: string | null;
  /** Why it waits for a person; null: it does not. */
  readonly parked: string | null;
  /** It has ended, with an answer or without one. */
  readonly over: boolean;
}

export interface ReviewSnapshot {
  readonly entries: readonly ReviewedEntry[];
  /** The reviews of the tasks of these entries, and all that wait for an answer; the oldest first. */
  readonly reviews: readonly Review[];
  /** By ref. */
  readonly errands: ReadonlyMap<string, ReviewErrand>;
  readonly rounds: number;
}

export type ReviewAction =
  | { readonly do: 'ask'; readonly entry: number; readonly round: number }
  | { readonly do: 'store'; readonly review: number; readonly by: string; readonly answer: Answer }
  | { readonly do: 'hand-back'; readonly entry: number; readonly review: number }
  | { readonly do: 'drop'; readonly review: number; readonly reason: string };

type OfCommit = Pick<ReviewedEntry, 'task' | 'sha'>;

/** The review that decides about a commit: the newest that was not dropped. */
export function reviewAt(reviews: readonly Review[], { task, sha }: OfCommit): Review | undefined {
  return reviews.findLast((one) => one.task === task && one.sha === sha && one.state !== 'dropped');
}

/** The number of the next review of an entry's task: one more than those with findings since it last landed. */
export function roundOf(reviews: readonly Review[], { task, sha, landed }: Pick<ReviewedEntry, 'task' | 'sha' | 'landed'>): number {
  return 1 + reviews.filter((one) => one.task === task && one.sha !== sha && one.at > landed && one.state === 'findings').length;
}

/** The next steps of all reviews. Each is stored by itself; the next look finds what follows from it. */
export function planReviews(snapshot: ReviewSnapshot): ReviewAction[] {
  const { entries, reviews } = snapshot;
  const open = new Set(entries.map(({ task, sha }) => `${task} ${sha}`));
  const over = reviews.filter(({ state, task, sha }) => state === 'asked' && !open.has(`${task} ${sha}`));
  return [
    ...over.map(({ id }) => ({ do: 'drop', review: id, reason: 'the commit has left the queue' }) as const),
    ...entries.flatMap((entry) => nextFor(snapshot, entry)),
  ];
}

function nextFor({ reviews, errands, rounds }: ReviewSnapshot, entry: ReviewedEntry): ReviewAction[] {
  if (entry.approved) return [];
  const review = reviewAt(reviews, entry);
  if (!review) return entry.rule === undefined ? [] : [{ do: 'ask', entry: entry.id, round: roundOf(reviews, entry) }];
  if (review.state === 'findings') return review.round < rounds ? [{ do: 'hand-back', entry: entry.id, review: review.id }] : [];
  if (review.state !== 'asked') return [];
  const errand = errands.get(review.errand ?? '');
  if (!errand) return [{ do: 'drop', review: review.id, reason: 'its errand is gone' }];
  if (!errand.over) return [];
  const answer = errand.result === null ? unreadable('its errand ended without an answer') : readAnswer(errand.result);
  return [{ do: 'store', review: review.id, by: errand.agent ?? 'an agent', answer }];
}

/** Why an entry waits for its review. */
export interface ReviewWait {
  /** The end of a sentence about the entry. */
  readonly text: string;
  /** Only a person can change it. */
  readonly person: boolean;
}

/** The reason why its review keeps a commit from landing; `undefined`: it may land. */
export function waitFor(
  { reviews, errands, rounds }: Pick<ReviewSnapshot, 'reviews' | 'errands' | 'rounds'>,
  entry: ReviewedEntry,
): ReviewWait | undefined {
  const review = entry.approved ? undefined : reviewAt(reviews, entry);
  if (!review) return entry.approved || entry.rule === undefined ? undefined : { text: 'waits for a review', person: false };
  if (lets(review.state)) return undefined;
  const name = entry.task.slice(entry.task.indexOf('/') + 1);
  if (review.state === 'asked') return asked(review, errands.get(review.errand ?? ''), name);
  if (review.state === 'unreadable')
    return { text: `the review by ${review.reviewer} cannot be read, and waits for your word: furrow next`, person: true };
  if (review.round < rounds) return { text: `goes back: ${review.reviewer} has findings`, person: false };
  return {
    text: `${review.reviewer} still has findings after ${count(review.round)}, and it waits for your word: furrow next`,
    person: true,
  };
}

const count = (rounds: number) => (rounds === 1 ? 'the only round' : `${rounds} rounds`);

function asked(review: Review, errand: ReviewErrand | undefined, name: string): ReviewWait {
  const round = `round ${review.round}`;
  if (errand?.parked) {
    const errandId = review.errand!.slice(review.errand!.indexOf('/') + 1);
    return { text: `its review is parked (${errand.parked}): furrow retry ${errandId}, or furrow approve ${name}`, person: true };
  }
  const by = errand?.agent ? `${errand.agent} (${review.kind})` : `an agent of kind ${review.kind}, which is not free yet`;
  return { text: `waits for the review by ${by}, ${round}`, person: false };
}
