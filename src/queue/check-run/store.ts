import { type Insertable, type Selectable, sql } from 'kysely';
import type { CheckRunRow } from '../../journal/schema.ts';
import { change } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';

export type CheckRun = Selectable<CheckRunRow>;

const insert = change((db, columns: Insertable<CheckRunRow>, _key: object) => db.insertInto('check_run').values(columns).compile());

/** Stores a run that has ended. It is never changed: the verdict of a check on a tree is derived from all runs. */
export async function addCheckRun(tx: Tx, row: Omit<Insertable<CheckRunRow>, 'id'>): Promise<void> {
  await insert(tx, row, {});
}

/** Deletes up to `most` runs from before a time, the oldest first, and leaves the newest `least`. Answers how many it deleted. */
export async function pruneCheckRuns(db: Db | Tx, before: number, least: number, most: number): Promise<number> {
  const gone = await sql`delete from check_run where id in (
    select id from check_run where at < ${before} and id <= (select max(id) from check_run) - ${least} order by id limit ${most})`.execute(
    db,
  );
  return Number(gone.numAffectedRows ?? 0);
}
