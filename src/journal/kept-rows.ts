import { keptByVersion } from '../platform/cache.ts';
import { isCounted, tableVersion } from '../platform/db.ts';

/** A face that reads the whole log of events would leave it here. */
const MOST = 100;

/**
 * The rows that a question has for an answer, asked again when one of its tables may have changed: a farm of two tasks asked 400 times for
 * the open entries, and building a statement takes 80 µs. `key`: the question's own values. Rows are frozen, since all
 * callers share them (copies took 4 % of a landed task); each has a list of its own. A transaction reads for itself.
 */
export function keptRows<Row extends object>(...tables: readonly string[]) {
  const kept = keptByVersion<object, Map<string, readonly Readonly<Row>[]>>();
  return async (db: object, read: () => Promise<Row[]>, key = ''): Promise<Readonly<Row>[]> => {
    if (!isCounted(db)) return read();
    const known = await kept(db, tables.map((table) => tableVersion(db, table)).join(), async () => new Map());
    const rows = known.get(key) ?? (await read()).map((row) => Object.freeze(row));
    if (rows.length <= MOST) known.set(key, rows);
    return [...rows];
  };
}
