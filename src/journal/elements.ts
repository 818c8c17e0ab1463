import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { engineOf } from '../platform/engine/engine.ts';
import type { Db, Tx } from './store.ts';

/** The elements of the JSON array in a column, to select from: rows with a `value`. */
export const elementsOf = (db: Db | Tx, column: string): RawBuilder<unknown> => sql.raw(engineOf(db).elements(column));

/**
 * True where a column has one of the values of a list, given as JSON. The text is the same for every length of the list, so that the statement is built
 * once (`statement`).
 */
export function isAmong(db: Db | Tx, column: string, list: string, of: 'text' | 'bigint' = 'text'): RawBuilder<SqlBool> {
  const [before, after] = engineOf(db).elements('?').split('?') as [string, string];
  return sql`${sql.ref(column)} in (select cast(value as ${sql.raw(of)}) from ${sql.raw(before)}${list}${sql.raw(after)})`;
}
