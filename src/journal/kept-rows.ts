import { keptByVersion } from '../platform/cache.ts';
import { isCounted, tableVersion } from '../platform/engine/counted.ts';

/** A bound of rows for one key, because a face may read the whole log of events, and of keys: a table may stay the same for months. */
const MOST = 100;

/** Keeps what was made of the rows of these tables until one of them may have changed. Callers share it, so nobody may change it. A transaction reads for itself. */
export function keptReading<Value>(...tables: readonly string[]) {
  const kept = keptByVersion<object, Value>();
  return (db: object, read: () => Promise<Value>, key = ''): Promise<Value> =>
    isCounted(db) ? kept(db, `${versionOf(db, tables)} ${key}`, read) : read();
}

/**
 * Keeps the rows that answer a query until one of its tables may have changed: a farm of two tasks asked 400 times for the open entries,
 * and building a statement takes 80 µs. `key`: the query's own values. Rows are frozen, since all callers share them (copies took 4 % of a
 * landed task); each caller gets its own list. A transaction reads for itself.
 */
export function keptRows<Row extends object>(...tables: readonly string[]) {
  const kept = keptByVersion<object, Map<string, readonly Readonly<Row>[]>>();
  return async (db: object, read: () => Promise<Row[]>, key = ''): Promise<Readonly<Row>[]> => {
    if (!isCounted(db)) return read();
    const known = await kept(db, versionOf(db, tables), async () => new Map());
    const before = known.get(key);
    if (before) return [...before];
    const rows = (await read()).map((row) => Object.freeze(row));
    if (known.size >= MOST) known.clear();
    if (rows.length <= MOST) known.set(key, rows);
    return [...rows];
  };
}

const versionOf = (db: object, tables: readonly string[]) => tables.map((table) => tableVersion(db, table)).join();
