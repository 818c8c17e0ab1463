import { type Selectable, sql, type Updateable } from 'kysely';
import { keptRows } from '../../journal/kept-rows.ts';
import type { AttemptRow } from '../../journal/rows/attempt.ts';
import { change, statement } from '../../journal/statement.ts';
import { type Db, readMeta, type Tx, writeMeta } from '../../journal/store.ts';
import type { Word } from './evidence.ts';
import { type AttemptEvent, step } from './state.ts';

export type Attempt = Selectable<AttemptRow>;

type Begun = Pick<Attempt, 'task' | 'n' | 'agent' | 'kind' | 'settings' | 'base' | 'branch' | 'target' | 'deadline'> &
  Partial<Pick<Attempt, 'host'>>;

const NOTHING_YET = { ended: null, pid: null, pid_start: null, said: null, outcome: null, reason: null, sha: null, summary: null };

const FIRST = 'attempt.first';

/**
 * Makes new attempt ids start at this number. Files, processes and doors carry these ids, and those from before a lost store may still
 * exist.
 */
export async function numberFrom(tx: Db | Tx, first: number): Promise<void> {
  await writeMeta(tx, FIRST, String(first));
}

/** Stores an attempt whose process is still to be started, and answers its id. */
export async function beginAttempt(tx: Tx, attempt: Begun, now: number): Promise<number> {
  const first = Number((await readMeta(tx, FIRST)) ?? 0);
  const above = first > (await lastAttemptId(tx)) ? { id: first } : {};
  const { id } = await tx
    .insertInto('attempt')
    .values({ ...attempt, ...NOTHING_YET, ...above, state: 'starting', started: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Moves an attempt by one event, and returns its new state. `undefined`: the event does not apply, and nothing changed. */
export async function advanceAttempt(
  tx: Tx,
  id: number,
  event: AttemptEvent,
  also: Pick<Updateable<AttemptRow>, 'pid' | 'pid_start' | 'ended' | 'outcome' | 'reason' | 'sha' | 'settings'> = {},
): Promise<Attempt | undefined> {
  const next = step(await readAttempt(tx, id), event);
  if (!next) return undefined;
  return (await changeAttempt(tx, { ...also, ...next }, { id })).rows[0];
}

const changeAttempt = change((db, columns: Updateable<AttemptRow>, { id }: { id: number }) =>
  db.updateTable('attempt').set(columns).where('id', '=', id).returningAll().compile(),
);

/** Notes the word that ends an attempt, and when it came; the loop acts on it. */
export async function noteWord(tx: Tx, id: number, word: Word, awake: number, summary?: string): Promise<void> {
  await changeAttempt(tx, { said: JSON.stringify({ ...word, at: awake }), summary }, { id });
}

/** Replaces the final commit of attempts by another one, because git lost something behind it. */
export async function reshaAttempts(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('attempt').set({ sha: to }).where('sha', '=', from).execute();
}

/** Gives the target in force to attempts that have not ended and name none, which earlier versions wrote. */
export async function aimAttempts(tx: Tx, target: string): Promise<void> {
  await tx.updateTable('attempt').set({ target }).where('target', 'is', null).where('state', '!=', 'ended').execute();
}

const byId = statement((db, { id }: { id: number }) => db.selectFrom('attempt').selectAll().where('id', '=', id).compile());

export async function findAttempt(db: Db | Tx, id: number): Promise<Attempt | undefined> {
  return (await byId(db, { id })).rows[0];
}

/** An attempt that something names is never gone: rows of attempts stay. */
export async function readAttempt(db: Db | Tx, id: number): Promise<Attempt> {
  const row = await findAttempt(db, id);
  if (!row) throw new Error(`there is no attempt ${id}`);
  return row;
}

const highest = statement((db) =>
  db
    .selectFrom('attempt')
    .select((e) => e.fn.max('id').as('id'))
    .compile(),
);

/** The highest id of an attempt; 0 when there was none. */
export async function lastAttemptId(db: Db | Tx): Promise<number> {
  return Number((await highest(db, {})).rows[0]?.id ?? 0);
}

const nth = statement((db, { task, n }: { task: string; n: number }) =>
  db.selectFrom('attempt').selectAll().where('task', '=', task).where('n', '=', n).compile(),
);

/** The n-th attempt at a task. */
export async function attemptAt(db: Db | Tx, task: string, n: number): Promise<Attempt> {
  const [row] = (await nth(db, { task, n })).rows;
  if (!row) throw new Error(`there is no attempt ${n} at ${task}`);
  return row;
}

const open = keptRows<Attempt>('attempt');
const running = statement((db) =>
  // A literal: SQLite uses the partial index only for these very words, and looked through every attempt there ever was.
  db.selectFrom('attempt').selectAll().where('state', '!=', sql.lit('ended')).orderBy('id').compile(),
);

/** Attempts that have not ended, oldest first. */
export async function openAttempts(db: Db | Tx): Promise<Attempt[]> {
  return open(db, async () => (await running(db, {})).rows);
}

const allAt = statement((db, { task }: { task: string }) =>
  db.selectFrom('attempt').selectAll().where('task', '=', task).orderBy('n').compile(),
);

/** All attempts at a task, the first one first. */
export async function attemptsAt(db: Db | Tx, task: string): Promise<Attempt[]> {
  return (await allAt(db, { task })).rows;
}

const newestFirst = statement((db, { task }: { task: string }) =>
  db.selectFrom('attempt').selectAll().where('task', '=', task).orderBy('id', 'desc').compile(),
);

/** The newest attempt at a task. */
export async function lastAttemptAt(db: Db | Tx, task: string): Promise<Attempt | undefined> {
  return (await newestFirst(db, { task })).rows[0];
}

/** The newest attempt of an agent. */
export async function lastAttemptBy(db: Db | Tx, agent: string): Promise<Attempt | undefined> {
  return db.selectFrom('attempt').selectAll().where('agent', '=', agent).orderBy('id', 'desc').executeTakeFirst();
}
