import { keptByVersion } from '../platform/cache.ts';
import { isCounted, tableVersion } from '../platform/db.ts';

/**
 * The rows that one question has for an answer, asked again when their table may have changed: a farm of two tasks asked 400 times for
 * the open entries, and building a statement takes 80 µs. Each caller has copies, and a transaction reads for itself.
 */
export function keptRows<Row extends object>(table: string) {
  const kept = keptByVersion<object, readonly Row[]>();
  return async (db: object, read: () => Promise<Row[]>): Promise<Row[]> => {
    if (!isCounted(db)) return read();
    const rows = await kept(db, String(tableVersion(db, table)), read);
    return rows.map((row) => ({ ...row }));
  };
}
