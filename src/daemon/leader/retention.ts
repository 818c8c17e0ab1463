import { setImmediate } from 'node:timers/promises';
import { pruneJobs } from '../../agents/job/store.ts';
import { pruneLeases } from '../../agents/lease/store.ts';
import { pruneMessages } from '../../agents/message/store.ts';
import { pruneSupervision } from '../../agents/supervision/store.ts';
import { pruneIntents } from '../../journal/act.ts';
import { firstWithin, pruneEvents, seqRange } from '../../journal/event.ts';
import type { Db } from '../../journal/store.ts';
import { pruneCheckRuns } from '../../queue/check-run/store.ts';
import { pruneReviews } from '../../queue/review/store.ts';
import { keeping } from '../../tell/metrics/pruned-counts.ts';
import { checkCounts, entryCounts, messageCounts, questionCounts } from '../../tell/metrics/read.ts';
import { pruneNotices } from '../../tell/notice/store.ts';
import { pruneEntries } from '../../work/entry/store.ts';
import { pruneErrands } from '../../work/errand/store.ts';
import { pruneQuestions } from '../../work/question/store.ts';
import { forget } from '../../work/task/import.ts';
import { missingSince } from '../../work/task/store.ts';

const DAY = 24 * 3600_000;

/** Enough to look back a quarter. Past 200,000 (about 80 MB) the store is slower to copy and to check than the history is worth. */
const EVENTS = { ms: 90 * DAY, most: 200_000, least: 1000, bytes: 256 * 1024 * 1024 };
/** A tree that comes up again after a month is checked again. The newest runs always stay: slots and flakes are judged by them. */
const CHECK_RUNS = { ms: 30 * DAY, least: 2000 };
/** Reverts and publishing ask about the entries of recent landings. */
const ENTRIES = { ms: 90 * DAY, landings: 1000 };
const QUESTIONS_MS = 90 * DAY;
/** A lease is asked for again only by its number. */
const LEASES_MS = 7 * DAY;
/** Nobody asks for a message of an earlier quarter. */
const MESSAGES_MS = 90 * DAY;
const ERRANDS_MS = 90 * DAY;
const REVIEWS_MS = 90 * DAY;
const INTENTS_MS = DAY;
/** An unlanded task that agents worked on is kept this long without its file. A landed task is kept for ever. */
const MISSING_MS = 30 * DAY;
/** Rows for one statement: 5 ms, after which others get the store. */
const BATCH = 500;

/**
 * Deletes what nobody will ask for any more, a little at a time. It may end at any point and continues the next time. Landed tasks,
 * attempts and landings stay: they tell what has landed, and its cost. `bytes`: of all events.
 */
export async function prune(db: Db, now: number, bytes = EVENTS.bytes): Promise<void> {
  await pruneHistory(db, now, bytes);
  await inBatches(() => keeping(db, checkCounts, (tx) => pruneCheckRuns(tx, now - CHECK_RUNS.ms, CHECK_RUNS.least, BATCH)));
  await inBatches(() => keeping(db, entryCounts, (tx) => pruneEntries(tx, now - ENTRIES.ms, ENTRIES.landings, BATCH)));
  await inBatches(() => pruneIntents(db, now - INTENTS_MS, BATCH));
  await inBatches(() => keeping(db, questionCounts, (tx) => pruneQuestions(tx, now - QUESTIONS_MS, BATCH)));
  await inBatches(() => pruneNotices(db, now - QUESTIONS_MS, BATCH));
  await inBatches(() => pruneJobs(db, now - MESSAGES_MS, BATCH));
  await inBatches(() => pruneLeases(db, now - LEASES_MS, BATCH));
  await inBatches(() => keeping(db, messageCounts, (tx) => pruneMessages(tx, now - MESSAGES_MS, BATCH)));
  await inBatches(() => pruneErrands(db, now - ERRANDS_MS, BATCH));
  await inBatches(() => pruneReviews(db, now - REVIEWS_MS, BATCH));
  await inBatches(() => pruneSupervision(db, BATCH));
  for (const row of await missingSince(db, now - MISSING_MS))
    await db.transaction().execute((tx) => forget(tx, row, 'off the board for a month and is forgotten', now));
}

/** Removes a batch after the other until one finds nothing. */
async function inBatches(remove: () => Promise<number>): Promise<void> {
  while ((await remove()) > 0) await setImmediate();
}

async function pruneHistory(db: Db, now: number, bytes: number): Promise<void> {
  const known = await seqRange(db, now - EVENTS.ms);
  if (!known) return;
  const { first, last, young } = known;
  const byAge = Math.min(young ?? last + 1, last + 1 - EVENTS.least);
  const until = Math.max(byAge, last + 1 - EVENTS.most, Math.min((await firstWithin(db, bytes)) ?? 0, last));
  for (let from = first; from < until; from += BATCH) {
    await pruneEvents(db, Math.min(from + BATCH, until));
    await setImmediate();
  }
}
