import { planReviews, type ReviewAction, reviewAt } from '../../../queue/review/plan.ts';
import { reviewQuestion } from '../../../queue/review/report.ts';
import { answerReview } from '../../../queue/review/store.ts';
import type { QueueSnapshot } from '../../../queue/snapshot.ts';
import { closeQuestions, openQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';
import { askReview } from './ask.ts';
import { endReview, sendBack } from './decide.ts';
import { type ReviewLook, readReviews } from './read.ts';

const AGAIN_MS = 5000;

/** One look at the reviews of what is in the queue: carries out the next step of each. True: something has changed. */
export async function driveReviews(farm: Farm, snapshot: QueueSnapshot): Promise<boolean> {
  const look = await readReviews(farm, farm.db);
  await askPerson(farm, look);
  let changed = false;
  for (const action of planReviews(look)) {
    try {
      await carryOut(farm, snapshot, look, action);
      changed = true;
    } catch (error) {
      // The rest of the queue runs again without it.
      farm.log.warn({ error: (error as Error).message, action: action.do }, 'a review could not go on');
      wakeAt(farm, farm.clock.awake() + AGAIN_MS);
    }
  }
  return changed;
}

async function carryOut(farm: Farm, snapshot: QueueSnapshot, { rows, reviews }: ReviewLook, action: ReviewAction): Promise<void> {
  const now = farm.clock.now();
  const review = 'review' in action ? reviews.find(({ id }) => id === action.review)! : undefined;
  switch (action.do) {
    case 'ask':
      await askReview(farm, snapshot, { entry: rows.get(action.entry)!, round: action.round, requested: false });
      return;
    case 'store':
      return farm.db.transaction().execute(async (tx) => {
        await answerReview(tx, review!, action.by, action.answer, now);
      });
    case 'hand-back':
      return farm.db.transaction().execute((tx) => sendBack(tx, farm, rows.get(action.entry)!, review!, '', now));
    case 'drop':
      return farm.db.transaction().execute((tx) => endReview(tx, farm, review!, action.reason, now));
    default:
      return action satisfies never;
  }
}

/** Keeps a question open for each entry whose review only a person can settle, and closes those that are settled. */
async function askPerson(farm: Farm, { entries, reviews, rounds }: ReviewLook): Promise<void> {
  const wanted = new Map<string, string>();
  for (const entry of entries) {
    const review = entry.approved ? undefined : reviewAt(reviews, entry);
    const unsettled = review?.state === 'unreadable' || (review?.state === 'findings' && review.round >= rounds);
    if (review && unsettled) wanted.set(entry.task, reviewQuestion(review, splitRef(entry.task).id));
  }
  const open = await openQuestions(farm.db, { kinds: ['review'] });
  const news = [...wanted].filter(([task]) => !open.some((one) => one.subject === task));
  const over = open.filter(({ subject }) => !wanted.has(subject));
  if (news.length + over.length === 0) return;
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    for (const [subject, reason] of news) await raiseQuestion(tx, { kind: 'review', subject, reason }, now);
    for (const { subject } of over) await closeQuestions(tx, 'review', subject, 'its review is settled', now);
  });
  farm.wake();
}
