import type { Tx } from '../../../journal/store.ts';
import { roundOf } from '../../../queue/review/plan.ts';
import { findingsReport } from '../../../queue/review/report.ts';
import { lets } from '../../../queue/review/state.ts';
import { dropReview, overruleReview, type Review } from '../../../queue/review/store.ts';
import type { Entry } from '../../../work/entry/store.ts';
import { endErrand } from '../../../work/errand/store.ts';
import { closeQuestions } from '../../../work/question/store.ts';
import type { Farm } from '../../farm/farm.ts';
import { assertNotLanding } from '../../farm/landing-now.ts';
import { handBack } from '../queue/hand-back.ts';
import { readReviews, reviewOf } from './read.ts';

/** Sends work back with the findings of its review, and with the words of a person if there are any. */
export async function sendBack(tx: Tx, farm: Farm, entry: Entry, review: Review, words: string, now: number): Promise<void> {
  await assertNotLanding(tx, entry);
  const report = findingsReport(review, words);
  await handBack(tx, farm, { entries: [entry] }, { entry: entry.id, state: 'rejected', report, findings: true }, now);
  await closeQuestions(tx, 'review', entry.task, 'it goes back', now);
}

/** Ends a review that nobody needs any more, and stops its agent. */
export async function endReview(tx: Tx, farm: Farm, review: Review, reason: string, now: number): Promise<void> {
  await dropReview(tx, review, reason, now);
  await stopReviewer(tx, farm, review, reason, now);
}

/** A person decides instead of a reviewer: its review no longer keeps the commit from landing. `false`: no review held it up. */
export async function overrule(tx: Tx, farm: Farm, entry: Entry, reason: string, now: number): Promise<boolean> {
  const look = await readReviews(farm, tx);
  const known = look.entries.find(({ id }) => id === entry.id);
  const review = await reviewOf(tx, entry);
  if (!known || (review ? lets(review.state) : known.rule === undefined)) return false;
  const none = { task: entry.task, sha: entry.sha, round: roundOf(look.reviews, known), kind: 'none' };
  if (!(await overruleReview(tx, review ?? none, reason, now))) return false;
  if (review) await stopReviewer(tx, farm, review, 'a person decided', now);
  await closeQuestions(tx, 'review', entry.task, 'you decided', now);
  return true;
}

async function stopReviewer(tx: Tx, { clock }: Farm, { errand }: Review, reason: string, now: number): Promise<void> {
  if (errand !== null) await endErrand(tx, errand, reason, { now, awake: clock.awake() });
}
