import type { Selectable } from 'kysely';
import { isAmong } from '../../journal/elements.ts';
import { append } from '../../journal/event.ts';
import { keptRows } from '../../journal/kept-rows.ts';
import type { ReviewRow, ReviewState } from '../../journal/rows/review.ts';
import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { redact, redactJsonText } from '../../platform/redact.ts';
import { splitRef } from '../../work/task/id.ts';
import { type Answer, findingLine, type ReviewFinding } from './answer.ts';
import { type ReviewEvent, step } from './state.ts';

export type Review = Omit<Selectable<ReviewRow>, 'findings'> & { readonly findings: readonly ReviewFinding[] };

const toReview = (row: Selectable<ReviewRow>): Review => ({ ...row, findings: JSON.parse(row.findings) as ReviewFinding[] });

interface NewReview {
  /** Ref of the task or branch. */
  readonly task: string;
  readonly sha: string;
  readonly round: number;
  readonly kind: string;
  /** Ref of the errand that asks for it. */
  readonly errand: string;
  readonly requested: boolean;
}

const nameOf = (task: string) => splitRef(task).id;
const short = (sha: string) => sha.slice(0, 8);

/** Stores that a review was asked for. */
export async function addReview(tx: Tx, review: NewReview, now: number): Promise<number> {
  const { task, sha, round, kind, errand, requested } = review;
  const row = { task, sha, round, kind, errand, state: 'asked', requested: requested ? 1 : 0, reviewer: null, summary: null } as const;
  const { id } = await tx
    .insertInto('review')
    .values({ ...row, at: now, ended: null })
    .returning('id')
    .executeTakeFirstOrThrow();
  const text = `an agent of kind ${kind} is asked to review ${nameOf(task)} at ${short(sha)}, round ${round}`;
  await append(tx, { kind: 'review.asked', task, text, data: { review: id, sha, round, errand } }, now);
  return id;
}

/** Moves a review by one event. `false` means that the event does not apply; then nothing changes. */
async function advance(
  tx: Tx,
  { id }: Pick<Review, 'id'>,
  event: ReviewEvent,
  now: number,
  also: { readonly reviewer?: string; readonly summary?: string; readonly findings?: string } = {},
): Promise<ReviewState | undefined> {
  const { state } = await tx.selectFrom('review').select('state').where('id', '=', id).executeTakeFirstOrThrow();
  const next = step(state, event);
  if (!next) return undefined;
  await tx
    .updateTable('review')
    .set({ ...also, state: next, ended: now })
    .where('id', '=', id)
    .execute();
  return next;
}

/** Stores the answer of a reviewer. `false`: it came too late. */
export async function answerReview(tx: Tx, review: Review, by: string, answer: Answer, now: number): Promise<boolean> {
  const { verdict, summary, findings, trouble } = answer;
  const told = { reviewer: by, summary: redact(trouble ?? summary), findings: redactJsonText(JSON.stringify(findings)) };
  if (!(await advance(tx, review, { on: 'answered', verdict }, now, told))) return false;
  const { task, sha, round } = review;
  const count = findings.length === 1 ? '1 finding' : `${findings.length} findings`;
  const says = verdict === 'approve' ? 'approves' : `has ${count}`;
  const data = { review: review.id, sha, round, verdict, findings: findings.map(findingLine) };
  const event = { agent: by, task, data } as const;
  const about = `${nameOf(task)} at ${short(sha)}, round ${round}`;
  if (verdict === 'unreadable')
    await append(tx, { ...event, kind: 'review.unreadable', text: `the review of ${about} by ${by} cannot be read: ${trouble}` }, now);
  else await append(tx, { ...event, kind: 'review.answered', text: `${by} reviewed ${about}: ${says}${summary && `: ${summary}`}` }, now);
  return true;
}

/** Stores that the reviewer was told, once, that its answer could not be read. `false`: that was done before. */
export async function tellUnreadable(tx: Tx, review: Review, by: string, trouble: string, now: number): Promise<boolean> {
  const said = await tx.updateTable('review').set({ told: 1 }).where('id', '=', review.id).where('told', '=', 0).executeTakeFirst();
  if (said.numUpdatedRows === 0n) return false;
  const text = `${by} was told that its review of ${nameOf(review.task)} cannot be read: ${trouble}`;
  await append(tx, { kind: 'review.unreadable', agent: by, task: review.task, text, data: { review: review.id } }, now);
  return true;
}

/** Stores that a person overrules the review of this commit: an existing one, or one that nobody was asked for. */
export async function overruleReview(
  tx: Tx,
  review: Review | { readonly task: string; readonly sha: string; readonly round: number; readonly kind: string },
  reason: string,
  now: number,
): Promise<boolean> {
  const { task, sha, round } = review;
  if ('id' in review) {
    if (!(await advance(tx, review, { on: 'overruled' }, now, { reviewer: 'human' }))) return false;
  } else {
    const row = { task, sha, round, kind: review.kind, errand: null, state: 'overruled', reviewer: 'human', summary: null } as const;
    await tx
      .insertInto('review')
      .values({ ...row, at: now, ended: now })
      .execute();
  }
  const text = `you let ${nameOf(task)} at ${short(sha)} land without the yes of a reviewer${reason && `: ${reason}`}`;
  await append(tx, { kind: 'review.overruled', task, text, data: { sha, round, reason } }, now);
  return true;
}

/** Ends a review that nobody needs any more. */
export async function dropReview(tx: Tx, review: Review, reason: string, now: number): Promise<boolean> {
  if (!(await advance(tx, review, { on: 'dropped' }, now))) return false;
  const { task, sha, round } = review;
  const text = `the review of ${nameOf(task)} at ${short(sha)} is not needed any more: ${reason}`;
  await append(tx, { kind: 'review.dropped', task, text, data: { review: review.id, sha, round } }, now);
  return true;
}

const reviewsAbout = keptRows<Selectable<ReviewRow>>('review');
const aboutTasks = statement((db, { list }: { list: string }) =>
  db
    .selectFrom('review')
    .selectAll()
    .where(isAmong(db, 'task', list))
    .orderBy('id')
    .compile(),
);

/** All reviews of these tasks' work, the oldest first. */
export async function reviewsOf(db: Db | Tx, tasks: readonly string[]): Promise<Review[]> {
  if (tasks.length === 0) return [];
  const list = JSON.stringify(tasks);
  return (await reviewsAbout(db, async () => (await aboutTasks(db, { list })).rows, list)).map(toReview);
}

const asked = keptRows<Selectable<ReviewRow>>('review');
const unanswered = statement((db) => db.selectFrom('review').selectAll().where('state', '=', 'asked').orderBy('id').compile());

/** Reviews that wait for an answer, the oldest first. */
export async function askedReviews(db: Db | Tx): Promise<Review[]> {
  return (await asked(db, async () => (await unanswered(db, {})).rows)).map(toReview);
}

/** The review that an errand was begun for. */
export async function reviewFor(db: Db | Tx, errand: string): Promise<Review | undefined> {
  const row = await db.selectFrom('review').selectAll().where('errand', '=', errand).executeTakeFirst();
  return row && toReview(row);
}

/** Deletes up to `most` reviews that ended before a time and whose work is not in the queue. Answers how many it deleted. */
export async function pruneReviews(db: Db, before: number, most: number): Promise<number> {
  const old = db
    .selectFrom('review')
    .select('id')
    .where('ended', '<', before)
    .where('task', 'not in', (e) => e.selectFrom('entry').select('task').where('entry.ended', 'is', null))
    .orderBy('id')
    .limit(most);
  return Number((await db.deleteFrom('review').where('id', 'in', old).executeTakeFirst()).numDeletedRows);
}
