/** Counts the writes to each table, so that what was read from one can be kept until somebody writes to it. */
export interface Versions {
  /** Writes of this connection, by table. */
  readonly own: Map<string, number>;
  /** Grows with every write of another connection, whatever the table. */
  others(): number;
}

const versions = new WeakMap<object, Versions>();

/** From now on `tableVersion` answers for this store. */
export const count = (db: object, by: Versions): void => void versions.set(db, by);

/** A number that grows whenever any process may have changed the table. What was read from the table can be kept until then. */
export function tableVersion(db: object, table: string): number {
  const known = versions.get(db);
  return known ? (known.own.get(table) ?? 0) + (known.own.get('*') ?? 0) + known.others() : 0;
}

/** True for a connection whose writes are counted. A transaction has no counter, so it must read for itself. */
export const isCounted = (db: object): boolean => versions.has(db);

/** The table that a statement writes to; `*` for a rollback, which undoes writes that were counted. */
export function writes(sql: string): string | undefined {
  if (sql.startsWith('rollback')) return '*';
  return /^\s*(?:insert into|update|delete from) "?(\w+)/i.exec(sql)?.[1];
}
