import { basename } from 'node:path';
import type { FarmEvent } from '../../../api/contract.ts';
import { seqRange } from '../../../journal/event.ts';
import type { EventKind } from '../../../journal/event-kind.ts';
import type { Db } from '../../../journal/store.ts';
import { standingWord } from '../../../tell/face/standing.ts';
import { HISTORY_KINDS } from '../../../tell/face/timeline.ts';
import type { ReportEvent, ReportRows, ReportTask } from '../../../tell/report/rows.ts';
import { indexTasks, resolve } from '../../../work/task/derive.ts';
import { toFarmEvent } from '../../farm/feed.ts';
import type { Desk } from '../context.ts';
import { readFarm } from '../view/reading.ts';
import type { TaskList } from '../view/tasks.ts';
import type { Beginning } from './since.ts';

/** Most runs of checks, and most events, that a report reads: the newest. */
const MOST = 50_000;

/** The kinds of events that tell what no row does. */
const TOLD: readonly EventKind[] = [
  'board.imported',
  'conflict.predicted',
  'entry.checking',
  'landing.removed',
  'provider.limited',
  'provider.served',
  'question.answered',
  'task.added',
  'work.resumed',
  'work.started',
];

/** Reads the rows that a report since a time is made of. */
export async function readReport(desk: Desk, { since, words }: Beginning): Promise<ReportRows> {
  const { farm } = desk;
  const { db } = farm;
  const now = farm.clock.now();
  const reading = readFarm(desk);
  const attempts = await attemptsSince(db, since);
  return {
    now,
    since,
    sinceWords: words,
    farm: {
      name: basename(farm.repo.root),
      target: farm.target,
      version: farm.version,
      state: standingWord(await reading.standing()),
    },
    kept: await keptEvents(db, now),
    oldestRun: await oldestRun(db),
    tasks: reportTasks(await reading.tasks()),
    titles: new Map((await reading.rows()).tasks.map(({ ref, title }) => [ref, title])),
    attempts,
    usage: await usageSince(db, since),
    entries: await entriesSince(db, since),
    landings: await landingsSince(db, since),
    runs: await runsSince(db, since),
    questions: await questionsSince(db, since),
    events: await eventsSince(db, since),
    timeline: await timelineFrom(db, Math.min(since, ...attempts.map(({ started }) => started))),
    ...(await severalAtOne(db, since)),
  };
}

/** The tasks of the board, with refs for what they depend on. */
function reportTasks({ lines, rows }: TaskList): ReportTask[] {
  const placed = rows.map((row, n) => ({ ...row, dependsOn: lines[n]!.depends_on, blocked: row.blocked === 1, taken: null }));
  const index = indexTasks(placed);
  return lines.flatMap((line, n) => {
    const { ref, purpose, unchanged } = rows[n]!;
    const needs = line.depends_on.flatMap((name) => resolve(index, line, name)?.ref ?? []);
    return purpose === 'work' ? [{ ...line, ref, unchanged, needs }] : [];
  });
}

async function keptEvents(db: Db, now: number): Promise<ReportRows['kept']> {
  const range = await seqRange(db, now);
  if (!range) return { first: 1, firstAt: now, last: 0 };
  const { at } = await db.selectFrom('event').select('at').where('seq', '=', range.first).executeTakeFirstOrThrow();
  return { first: range.first, firstAt: at, last: range.last };
}

/** Runs are numbered from 1: where the first is gone, others are, too. */
async function oldestRun(db: Db): Promise<number | null> {
  const first = await db.selectFrom('check_run').select(['id', 'at']).orderBy('id').limit(1).executeTakeFirst();
  return first && first.id > 1 ? first.at : null;
}

const attemptsSince = (db: Db, since: number) =>
  db
    .selectFrom('attempt')
    .select(['id', 'task', 'n', 'agent', 'kind', 'started', 'ended', 'outcome'])
    .where((e) => e.or([e('ended', 'is', null), e('ended', '>=', since)]))
    .orderBy('id')
    .execute();

const usageSince = (db: Db, since: number) =>
  db
    .selectFrom('usage')
    .innerJoin('attempt', 'attempt.id', 'usage.attempt')
    .select(['usage.attempt', 'usage.input', 'usage.output', 'usage.cache_read', 'usage.cache_write', 'usage.micros', 'usage.at'])
    .where('attempt.started', '>=', since)
    .orderBy('usage.attempt')
    .orderBy('usage.session')
    .execute();

const entriesSince = (db: Db, since: number) =>
  db
    .selectFrom('entry')
    .select(['id', 'task', 'attempt', 'agent', 'title', 'state', 'reason', 'at', 'ended'])
    .where((e) => e.or([e('ended', 'is', null), e('ended', '>=', since)]))
    .orderBy('id')
    .execute();

const landingsSince = (db: Db, since: number) =>
  db.selectFrom('landing').select(['id', 'commit', 'steps', 'at', 'removed']).where('at', '>=', since).orderBy('id').execute();

const runsSince = (db: Db, since: number) =>
  db
    .selectFrom('check_run')
    .select(['tree', 'about', 'check', 'name', 'outcome', 'at', 'ms', 'log'])
    .where('at', '>=', since)
    .orderBy('id', 'desc')
    .limit(MOST)
    .execute();

const questionsSince = (db: Db, since: number) =>
  db
    .selectFrom('question')
    .select(['id', 'kind', 'subject', 'reason', 'since', 'closed', 'answer', 'agent'])
    .where((e) => e.or([e('closed', 'is', null), e('closed', '>=', since)]))
    .orderBy('since')
    .orderBy('id')
    .execute();

async function eventsSince(db: Db, since: number): Promise<ReportEvent[]> {
  const rows = await db
    .selectFrom('event')
    .selectAll()
    .where('kind', 'in', TOLD)
    .where('at', '>=', since)
    .orderBy('seq', 'desc')
    .limit(MOST)
    .execute();
  return rows.reverse().map(({ data, ...row }) => ({ ...row, data: JSON.parse(data) as Record<string, unknown> }));
}

async function timelineFrom(db: Db, from: number): Promise<FarmEvent[]> {
  const rows = await db
    .selectFrom('event')
    .selectAll()
    .where('kind', 'in', HISTORY_KINDS as EventKind[])
    .where('at', '>=', from)
    .orderBy('seq', 'desc')
    .limit(MOST)
    .execute();
  return rows.reverse().map(toFarmEvent);
}

/** Reviews, races and what was taken back. */
async function severalAtOne(db: Db, since: number): Promise<Pick<ReportRows, 'reviews' | 'races' | 'entrants' | 'reverts'>> {
  const reviews = await db
    .selectFrom('review')
    .select(['task', 'round', 'state', 'reviewer', 'at'])
    .where('at', '>=', since)
    .orderBy('id')
    .execute();
  const races = await db
    .selectFrom('race')
    .select(['id', 'task', 'outcome', 'winner', 'why', 'at'])
    .where('at', '>=', since)
    .orderBy('id')
    .execute();
  const entrants = await db
    .selectFrom('entrant')
    .select(['race', 'n', 'agent'])
    .where('at', '>=', since)
    .orderBy('race')
    .orderBy('n')
    .execute();
  const reverts = await db
    .selectFrom('revert')
    .select(['task', 'entry', 'check', 'at', 'reopened'])
    .where('at', '>=', since)
    .orderBy('id')
    .execute();
  return { reviews, races, entrants, reverts };
}
