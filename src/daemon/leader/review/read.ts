import { keptReading } from '../../../journal/kept-rows.ts';
import type { Db, Tx } from '../../../journal/store.ts';
import { isCounted } from '../../../platform/engine/counted.ts';
import { type ReviewErrand, type ReviewSnapshot, type ReviewWait, waitFor } from '../../../queue/review/plan.ts';
import { reviewRule } from '../../../queue/review/rule.ts';
import { askedReviews, type Review, reviewsOf } from '../../../queue/review/store.ts';
import { lastAttemptAt } from '../../../work/attempt/store.ts';
import { lastLanded, openEntries } from '../../../work/entry/read.ts';
import type { Entry } from '../../../work/entry/store.ts';
import { askedAtSubmit } from '../../../work/entry/submitter.ts';
import { errandOf } from '../../../work/errand/store.ts';
import { findTaskRow, type Task, tasksOf } from '../../../work/task/store.ts';
import type { Farm } from '../../farm/farm.ts';

/** The snapshot that reviews are planned from, and the rows of its entries. */
export interface ReviewLook extends ReviewSnapshot {
  readonly rows: ReadonlyMap<number, Entry>;
}

/** An empty queue is looked at most often. */
const NOTHING = { entries: [], reviews: [], errands: new Map(), rows: new Map() } as const;

/** The parts of the farm that reviews depend on. */
type Reviewed = Pick<Farm, 'config'> & Partial<Pick<Farm, 'tasks'>>;

type TaskOf = (ref: string) => Task | undefined;

function rowsByRef(rows: readonly Task[]): TaskOf {
  const all = new Map(rows.map((row) => [row.ref, row]));
  return (ref) => all.get(ref);
}

const kept = keptReading<ReviewLook>('entry', 'review', 'errand', 'task', 'attempt');

/** Reads all that is to be known of reviews at one moment. Every look at the queue asks twice, and most ticks change none of it. */
export function readReviews(farm: Reviewed, db: Db | Tx): Promise<ReviewLook> {
  return kept(db, () => readNow(farm, db), JSON.stringify(farm.config.review));
}

async function readNow({ config, tasks: allTasks }: Reviewed, db: Db | Tx): Promise<ReviewLook> {
  const rows = await openEntries(db);
  const refs = [...new Set(rows.map(({ task }) => task))];
  const own = await reviewsOf(db, refs);
  const asked = await askedReviews(db);
  if (rows.length + asked.length === 0) return { ...NOTHING, rounds: config.review.rounds };
  const reviews = [...new Map([...own, ...asked].map((one) => [one.id, one])).values()].sort((a, b) => a.id - b.id);
  // Outside of a transaction the rows are there already, and every look at the queue asks for them.
  const tasks = allTasks && isCounted(db) ? (await allTasks()).row : rowsByRef(await tasksOf(db, refs));
  const landed = await lastLanded(db, [...new Set(own.map(({ task }) => task))]);
  const entries = rows.map((row) => {
    const { id, task, sha, approved, paths } = row;
    const changed = paths === null ? [] : (JSON.parse(paths) as string[]);
    const rule = reviewRule(config.review, askedAtSubmit(row).by, tasks(task), changed);
    // Its changes decide whether it is reviewed, so they are read first.
    return { id, task, sha, rule: paths === null ? undefined : rule, approved: approved !== null, landed: landed.get(task) ?? 0 };
  });
  const errands = new Map<string, ReviewErrand>();
  for (const { errand } of asked) if (errand !== null) await addErrand(db, tasks, errand, errands);
  return { entries, reviews, errands, rounds: config.review.rounds, rows: new Map(rows.map((row) => [row.id, row])) };
}

async function addErrand(db: Db | Tx, tasks: TaskOf, ref: string, errands: Map<string, ReviewErrand>): Promise<void> {
  const errand = await errandOf(db, ref);
  const task = errand && (tasks(ref) ?? (await findTaskRow(db, ref)));
  if (!errand || !task) return;
  const attempt = await lastAttemptAt(db, ref);
  const over = errand.standing === 'landed';
  const agent = over || errand.standing === 'leased' ? (attempt?.agent ?? null) : null;
  const parked = errand.standing === 'parked' ? (task.block_reason ?? 'it failed') : null;
  errands.set(ref, { result: errand.result, agent, parked, over });
}

/** Why open entries wait for a review, by their ids. */
export async function reviewWaits(farm: Reviewed, db: Db | Tx): Promise<Map<number, ReviewWait>> {
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
