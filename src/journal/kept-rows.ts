import { keptByVersion } from '../platform/cache.ts';
import { isCounted, tableVersion } from '../platform/db.ts';

/** A face that reads the whole log of events would leave it here. */
const MOST = 100;

/**
 * The rows that a question has for an answer, asked again when one of its tables may have changed: a farm of two tasks asked 400 times for
 * the open entries, and building a statement takes 80 µs. `key`: the question's own values. Each caller has copies, and a transaction reads for itself.
 */
export function keptRows<Row extends object>(...tables: readonly string[]) {
  const kept = keptByVersion<object, Map<string, readonly Row[]>>();
  return async (db: object, read: () => Promise<Row[]>, key = ''): Promise<Row[]> => {
    if (!isCounted(db)) return read();
    const known = await kept(db, tables.map((table) => tableVersion(db, table)).join(), async () => new Map());
    const rows = known.get(key) ?? (await read());
    if (rows.length <= MOST) known.set(key, rows);
    return rows.map((row) => ({ ...row }));
  };
}
