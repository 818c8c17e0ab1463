import type { ExpressionBuilder } from 'kysely';
import type { Schema } from '../../journal/schema.ts';
import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import type { CheckRun } from './store.ts';

type Where = ExpressionBuilder<Schema, 'check_run'>;

/** A column has one of these values. No condition when there are none: not every engine accepts an empty list. */
const among = (e: Where, column: 'tree' | 'about' | 'log', values: readonly string[]) =>
  values.length > 0 ? [e(column, 'in', values)] : [];

/** The run is about one of these trees or contents. */
const about = (names: readonly string[]) => (e: Where) => e.or([...among(e, 'tree', names), ...among(e, 'about', names)]);

export async function findRun(db: Db | Tx, id: number): Promise<CheckRun | undefined> {
  return db.selectFrom('check_run').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The newest run that wrote its output into this file. */
export async function runWithLog(db: Db | Tx, log: string): Promise<CheckRun | undefined> {
  return db.selectFrom('check_run').selectAll().where('log', '=', log).orderBy('id', 'desc').executeTakeFirst();
}

/** The newest runs of all checks, the newest first. */
export async function newestRuns(db: Db | Tx, limit: number): Promise<CheckRun[]> {
  return db.selectFrom('check_run').selectAll().orderBy('id', 'desc').limit(limit).execute();
}

/** The newest runs of a check by its name, or on the tree whose hash begins so; the newest first. */
export async function runsNamed(db: Db | Tx, name: string, limit: number): Promise<CheckRun[]> {
  const isTree = /^[0-9a-f]{7,64}$/.test(name);
  return db
    .selectFrom('check_run')
    .selectAll()
    .where((e) => e.or([e('name', '=', name), ...(isTree ? [e('tree', 'like', `${name}%`)] : [])]))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
}

/** Runs with these logs or on these trees, the oldest first. */
export async function runsWith(db: Db | Tx, logs: readonly string[], trees: readonly string[]): Promise<CheckRun[]> {
  return db
    .selectFrom('check_run')
    .selectAll()
    .where((e) => e.or([...among(e, 'log', logs), ...among(e, 'tree', trees)]))
    .orderBy('id')
    .execute();
}

/** Runs about these trees or contents, the oldest first. */
export async function runsAbout(db: Db | Tx, names: readonly string[]): Promise<CheckRun[]> {
  return db.selectFrom('check_run').selectAll().where(about(names)).orderBy('id').execute();
}

/** The newest run of a check about these trees or contents that did not pass; a check that is killed every time has only errors. */
export async function lastNotPassed(db: Db | Tx, check: string, names: readonly string[]): Promise<CheckRun | undefined> {
  return db
    .selectFrom('check_run')
    .selectAll()
    .where(about(names))
    .where('check', '=', check)
    .where('outcome', '!=', 'pass')
    .orderBy('id', 'desc')
    .executeTakeFirst();
}

const newestInQueue = statement((db, { after, limit }: { after: number; limit: number }) =>
  db.selectFrom('check_run').selectAll().where('id', '>', after).where('stage', '=', 'queue').orderBy('id', 'desc').limit(limit).compile(),
);

/** The newest runs before landing, the oldest first: of all, or of those with a higher id. */
export async function queueRuns(db: Db | Tx, limit: number, after = 0): Promise<CheckRun[]> {
  return (await newestInQueue(db, { after, limit })).rows.reverse();
}

/** Runs on these trees or about these contents with a lower id, the oldest first. */
export async function runsBefore(
  db: Db | Tx,
  id: number,
  { trees, contents }: { readonly trees: readonly string[]; readonly contents: readonly string[] },
): Promise<CheckRun[]> {
  return db
    .selectFrom('check_run')
    .selectAll()
    .where((e) => e.or([...among(e, 'tree', trees), ...among(e, 'about', contents)]))
    .where('id', '<', id)
    .orderBy('id')
    .execute();
}

/** The newest runs of these checks in any stage, the oldest first: all passes, and the other runs since a time. */
export async function runsOfChecks(db: Db | Tx, checks: readonly string[], since: number, limit: number): Promise<CheckRun[]> {
  const rows = await db
    .selectFrom('check_run')
    .selectAll()
    .where('check', 'in', checks)
    .where((e) => e.or([e('outcome', '=', 'pass'), e('at', '>', since)]))
    .orderBy('id', 'desc')
    .limit(limit)
    .execute();
  return rows.reverse();
}

/** The times in ms of the newest passing runs of a check, the newest first. */
export async function passTimes(db: Db | Tx, check: string, limit: number): Promise<number[]> {
  const rows = db.selectFrom('check_run').select('ms').where('check', '=', check).where('outcome', '=', 'pass');
  return (await rows.orderBy('id', 'desc').limit(limit).execute()).map(({ ms }) => ms);
}
