import { type RawBuilder, sql } from 'kysely';
import { engineOf } from '../platform/engine/engine.ts';
import type { Db, Tx } from './store.ts';

/** The elements of the JSON array in a column, to select from: rows with a `value`. */
export const elementsOf = (db: Db | Tx, column: string): RawBuilder<unknown> => sql.raw(engineOf(db).elements(column));
