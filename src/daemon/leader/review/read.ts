import type { Db, Tx } from '../../../journal/store.ts';
import { type ReviewErrand, type ReviewSnapshot, type ReviewWait, waitFor } from '../../../queue/review/plan.ts';
import { reviewRule } from '../../../queue/review/rule.ts';
import { askedReviews, type Review, reviewsOf } from '../../../queue/review/store.ts';
import { lastAttemptAt } from '../../../work/attempt/store.ts';
import { lastLanded, openEntries } from '../../../work/entry/read.ts';
import type { Entry } from '../../../work/entry/store.ts';
import { askedAtSubmit } from '../../../work/entry/submitted.ts';
import { errandOf } from '../../../work/errand/store.ts';
import { findTaskRow, tasksOf } from '../../../work/task/store.ts';
import type { Farm } from '../../farm/farm.ts';

/** The snapshot that reviews are planned from, and the rows of its entries. */
export interface ReviewLook extends ReviewSnapshot {
  readonly rows: ReadonlyMap<number, Entry>;
}

/** An empty queue is looked at most often. */
const NOTHING = { entries: [], reviews: [], errands: new Map(), rows: new Map() } as const;

/** Reads all that is to be known of reviews at one moment. */
export async function readReviews({ config }: Pick<Farm, 'config'>, db: Db | Tx): Promise<ReviewLook> {
  const rows = await openEntries(db);
  const refs = [...new Set(rows.map(({ task }) => task))];
  const own = await reviewsOf(db, refs);
  const asked = await askedReviews(db);
  if (rows.length + asked.length === 0) return { ...NOTHING, rounds: config.review.rounds };
  const reviews = [...new Map([...own, ...asked].map((one) => [one.id, one])).values()].sort((a, b) => a.id - b.id);
  const tasks = new Map((await tasksOf(db, refs)).map((task) => [task.ref, task]));
  const landed = await lastLanded(db, [...new Set(own.map(({ task }) => task))]);
  const entries = rows.map((row) => {
    const { id, task, sha, approved, paths } = row;
    const changed = paths === null ? [] : (JSON.parse(paths) as string[]);
    const rule = reviewRule(config.review, askedAtSubmit(row).by, tasks.get(task), changed);
    // Its changes decide whether it is reviewed, so they are read first.
    return { id, task, sha, rule: paths === null ? undefined : rule, approved: approved !== null, landed: landed.get(task) ?? 0 };
  });
  const errands = new Map<string, ReviewErrand>();
  for (const { errand } of asked) if (errand !== null) await addErrand(db, errand, errands);
  return { entries, reviews, errands, rounds: config.review.rounds, rows: new Map(rows.map((row) => [row.id, row])) };
}

async function addErrand(db: Db | Tx, ref: string, errands: Map<string, ReviewErrand>): Promise<void> {
  const errand = await errandOf(db, ref);
  const task = errand && (await findTaskRow(db, ref));
  if (!errand || !task) return;
  const attempt = await lastAttemptAt(db, ref);
  const over = errand.standing === 'landed';
  const agent = over || errand.standing === 'leased' ? (attempt?.agent ?? null) : null;
  const parked = errand.standing === 'parked' ? (task.block_reason ?? 'it failed') : null;
  errands.set(ref, { result: errand.result, agent, parked, over });
}

/** Why open entries wait for a review, by their ids. */
export async function reviewWaits(farm: Pick<Farm, 'config'>, db: Db | Tx): Promise<Map<number, ReviewWait>> {
  const look = await readReviews(farm, db);
  return new Map(
    look.entries.flatMap((entry) => {
      const wait = waitFor(look, entry);
      return wait ? [[entry.id, wait] as const] : [];
    }),
  );
}

/** The review that is asked for, or that decides, about the commit of an entry. */
export async function reviewOf(db: Db | Tx, { task, sha }: Pick<Entry, 'task' | 'sha'>): Promise<Review | undefined> {
  return (await reviewsOf(db, [task])).findLast((one) => one.sha === sha && one.state !== 'dropped');
}
