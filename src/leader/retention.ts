import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import type { Db } from '../journal/store.ts';
import { forget } from '../task/import.ts';

const DAY = 24 * 3600_000;

/** Enough to look back a quarter. Past 200,000 (about 80 MB) the store is slower to copy and to check than the history is worth. */
const EVENTS = { ms: 90 * DAY, most: 200_000, least: 1000 };
/** A tree that comes up again after a month is checked again. The newest always stay: slots and flakes are judged by them. */
const CHECK_RUNS = { ms: 30 * DAY, least: 2000 };
/** Reverts and publishing ask about the entries of recent landings. */
const ENTRIES = { ms: 90 * DAY, landings: 1000 };
const QUESTIONS_MS = 90 * DAY;
const INTENTS_MS = DAY;
/** So long a task that was worked on, and did not land, is kept without its file. What has landed is kept for ever. */
export const MISSING_MS = 30 * DAY;
/** Rows for one statement: 5 ms, after which whoever waits for the store gets it. */
const BATCH = 500;

/**
 * Deletes what nobody will ask for any more, a little at a time. It may end at any point and goes on the next time.
 * Tasks that landed, attempts and landings stay: they are what tells that something has landed, and what it cost.
 */
export async function prune(db: Db, now: number): Promise<void> {
  await pruneEvents(db, now);
  await inBatches(() => pruneRuns(db, now - CHECK_RUNS.ms));
  await inBatches(() => pruneEntries(db, now - ENTRIES.ms));
  await inBatches(() =>
    sql`delete from intent where id in (select id from intent where state <> 'open' and ended < ${now - INTENTS_MS} limit ${BATCH})`.execute(
      db,
    ),
  );
  await inBatches(() =>
    sql`delete from question where id in (select id from question where closed < ${now - QUESTIONS_MS} limit ${BATCH})`.execute(db),
  );
  await inBatches(() =>
    sql`delete from heard where attempt in (select heard.attempt from heard join attempt on attempt.id = heard.attempt where attempt.state = 'ended' limit ${BATCH})`.execute(
      db,
    ),
  );
  await pruneMissing(db, now);
}

async function inBatches(remove: () => Promise<{ numAffectedRows?: bigint | undefined }>): Promise<void> {
  while (((await remove()).numAffectedRows ?? 0n) > 0n) await setImmediate();
}

/** Only from the oldest on, and never all of them: `seq` has no gaps and never begins again. */
async function pruneEvents(db: Db, now: number): Promise<void> {
  const { rows } = await sql<{ first: number | null; last: number | null; young: number | null }>`
    select min(seq) as first, max(seq) as last, (select min(seq) from event where at >= ${now - EVENTS.ms}) as young from event`.execute(
    db,
  );
  const { first, last, young } = rows[0] ?? {};
  if (first == null || last == null) return;
  const byAge = Math.min(young ?? last + 1, last + 1 - EVENTS.least);
  const until = Math.max(byAge, last + 1 - EVENTS.most);
  for (let from = first; from < until; from += BATCH) {
    await db
      .deleteFrom('event')
      .where('seq', '<', Math.min(from + BATCH, until))
      .execute();
    await setImmediate();
  }
}

function pruneRuns(db: Db, before: number) {
  return sql`delete from check_run where id in (
    select id from check_run where at < ${before} and id <= (select max(id) from check_run) - ${CHECK_RUNS.least} order by id limit ${BATCH})`.execute(
    db,
  );
}

/** The newest of each task stays (its attempt is a token, its end is what others may wait for), and what reverts and recent landings name. */
function pruneEntries(db: Db, before: number) {
  return sql`delete from entry where id in (
    select old.id from entry as old
    where old.ended < ${before}
      and exists (select 1 from entry as newer where newer.task = old.task and newer.id > old.id)
      and not exists (select 1 from entry as open where open.task = old.task and open.ended is null)
      and old.id not in (select entry from "revert" where entry is not null)
      and old.id not in (
        select value from (select entries from landing order by id desc limit ${ENTRIES.landings}) as recent, json_each(recent.entries))
    order by old.id limit ${BATCH})`.execute(db);
}

async function pruneMissing(db: Db, now: number): Promise<void> {
  const gone = await db
    .selectFrom('task')
    .select(['ref', 'id'])
    .where('missing', '<', now - MISSING_MS)
    .where('standing', 'in', ['open', 'parked'])
    .orderBy('ref')
    .execute();
  for (const row of gone) await db.transaction().execute((tx) => forget(tx, row, 'off the board for a month and is forgotten', now));
}
