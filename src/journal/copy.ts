import { createHash } from 'node:crypto';
import type { Schema } from './schema.ts';
import type { Db, Tx } from './store.ts';

/** Every table, with the columns that no two rows have the same. */
const KEYS = {
  meta: ['key'],
  event: ['seq'],
  intent: ['id'],
  work: ['phase'],
  task: ['ref'],
  errand: ['ref'],
  attempt: ['id'],
  agent: ['name'],
  entry: ['id'],
  check_run: ['id'],
  landing: ['id'],
  revert: ['id'],
  question: ['id'],
  review: ['id'],
  heard: ['attempt'],
  usage: ['attempt', 'session'],
  lease: ['id'],
  message: ['id'],
  job: ['id'],
  notice: ['id'],
  provider_limit: ['provider'],
  config_version: ['id'],
  race: ['id'],
  entrant: ['race', 'n'],
  host: ['name'],
  invite: ['token'],
  word: ['host', 'life', 'seq'],
} as const satisfies Record<keyof Schema, readonly string[]>;

type Table = keyof Schema;

export const TABLES = Object.keys(KEYS) as readonly Table[];

/** Rows of one statement; a table has up to 40 columns, and SQLite takes 32,766 values. */
const ROWS = 500;

type Row = Readonly<Record<string, unknown>>;

/** The rows of a table in the order of their keys, some at a time. */
async function* rowsOf(db: Db | Tx, table: Table): AsyncGenerator<readonly Row[]> {
  for (let offset = 0; ; offset += ROWS) {
    let some = (db as Db).selectFrom(table).selectAll().limit(ROWS).offset(offset);
    for (const key of KEYS[table]) some = some.orderBy(key as never);
    const rows = (await some.execute()) as Row[];
    if (rows.length > 0) yield rows;
    if (rows.length < ROWS) return;
  }
}

export interface Summary {
  readonly rows: number;
  /** sha256 of all rows in the order of their keys. */
  readonly hash: string;
}

/** Copies all rows of a table, and answers what it read. `told` is called with the number of rows so far. */
export async function copyTable(from: Db | Tx, to: Tx, table: Table, told: (rows: number) => void): Promise<Summary> {
  return summed(from, table, async (some, rows) => {
    await to
      .insertInto(table)
      .values([...some] as never)
      .execute();
    told(rows);
  });
}

/** The number of rows of a table, and a hash of them. The same on both engines. */
export const summaryOf = (db: Db | Tx, table: Table): Promise<Summary> => summed(db, table, async () => {});

async function summed(db: Db | Tx, table: Table, each: (some: readonly Row[], rows: number) => Promise<void>): Promise<Summary> {
  const hash = createHash('sha256');
  let rows = 0;
  for await (const some of rowsOf(db, table)) {
    for (const row of some) hash.update(`${JSON.stringify(Object.entries(row).sort(([a], [b]) => (a < b ? -1 : 1)))}\n`);
    rows += some.length;
    await each(some, rows);
  }
  return { rows, hash: hash.digest('hex') };
}
