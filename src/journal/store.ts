import { copyFileSync, existsSync } from 'node:fs';
import { type Kysely, sql, type Transaction } from 'kysely';
import { keptByVersion } from '../platform/cache.ts';
import { isCounted, tableVersion } from '../platform/engine/counted.ts';
import { engineOf, hasTable } from '../platform/engine/engine.ts';
import type { Fence, SessionWatch } from '../platform/engine/postgres/one-session.ts';
import type { PostgresPlace } from '../platform/engine/postgres/place.ts';
import { isBroken, openSqlite, writeLogBack } from '../platform/engine/sqlite.ts';
import { FurrowError } from '../platform/error.ts';
import { modelOfTask } from './migrations/016-model-of-task.ts';
import { issueOfTask } from './migrations/017-issue-of-task.ts';
import { hosts } from './migrations/018-hosts.ts';
import { agentsOnHosts } from './migrations/019-agents-on-hosts.ts';
import type { Schema } from './schema.ts';
import { statement } from './statement.ts';
import { tables } from './tables.ts';

export type Db = Kysely<Schema>;
export type Tx = Transaction<Schema>;

/** The migrations in order; each is a list of statements. The first makes all tables. */
export const migrations: readonly (readonly string[])[] = [tables, modelOfTask, issueOfTask, hosts, agentsOnHosts];

/** The number of the first migration. The ones before it were never released. */
const FIRST = 15;

/** The number of the last migration; `meta` keeps it. */
export const SCHEMA = FIRST + migrations.length - 1;

/** Opens the store, and makes or migrates it. A store that SQLite cannot read is never replaced: the user must decide that. */
export async function openStore(file: string): Promise<Db> {
  try {
    return await open(file);
  } catch (error) {
    if (!isBroken(error)) throw error;
    throw broken(`the store ${file} is broken: ${(error as Error).message}`, error);
  }
}

const broken = (text: string, cause?: unknown) =>
  new FurrowError('STORE_BROKEN', text, { hint: 'furrow doctor --fix keeps the file and makes a new store from the refs', cause });

/** Opens an existing store if its schema is this program's own. It makes, migrates and copies nothing. */
export async function openAsIs(file: string): Promise<Db | undefined> {
  const db = openSqlite<Schema>(file);
  try {
    if ((await schemaVersion(db)) === SCHEMA) return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
  await db.destroy();
  return undefined;
}

async function open(file: string): Promise<Db> {
  const fresh = !existsSync(file);
  const db = openSqlite<Schema>(file);
  await bringUp(db, fresh ? 0 : await schemaVersion(db), `the store ${file}`, async () => {
    await writeLogBack(db);
    copyFileSync(file, `${file}.before-${SCHEMA}`);
  });
  return db;
}

/** Opens the store of a farm on PostgreSQL, and makes or migrates it. The schema must be there. With a fence, only the leader of its epoch can write. */
export async function openOnPostgres(place: PostgresPlace, fence?: Fence, watch?: SessionWatch): Promise<Db> {
  const { openPostgres } = await import('../platform/engine/postgres/open.ts');
  const db = openPostgres<Schema>(place, fence, watch);
  try {
    await bringUp(db, await schemaVersion(db), `the store at ${place.name}`);
    return db;
  } catch (error) {
    await db.destroy();
    throw error;
  }
}

/** Makes the tables, or brings those of an earlier version to this one. `before` is called before anything of an earlier version is changed. */
async function bringUp(db: Db, have: number, name: string, before?: () => Promise<void>): Promise<void> {
  if (have > SCHEMA) {
    throw new FurrowError('STORE_TOO_NEW', `the store was written by a newer furrow (schema ${have}, this one knows ${SCHEMA})`, {
      hint: 'npm install -g furrow@latest',
    });
  }
  if (have > 0 && have < FIRST) throw broken(`${name} was written by an early furrow (schema ${have}, this one reads ${FIRST} and later)`);
  if (have > 0 && have < SCHEMA) await before?.();
  for (let version = Math.max(have + 1, FIRST); version <= SCHEMA; version++) await migrate(db, version);
}

async function schemaVersion(db: Db): Promise<number> {
  if (!(await hasTable(db, 'meta'))) return 0;
  const row = await db.selectFrom('meta').select('value').where('key', '=', 'schema').executeTakeFirst();
  return Number(row?.value ?? 0);
}

export async function migrate(db: Db, version: number): Promise<void> {
  await db.transaction().execute(async (tx) => {
    for (const statement of migrations[version - FIRST] ?? []) await sql.raw(engineOf(tx).define(statement)).execute(tx);
    await writeMeta(tx, 'schema', String(version));
  });
}

const allMeta = statement((db) => db.selectFrom('meta').selectAll().orderBy('key').compile());
const metaOf = statement((db, { key }: { key: string }) => db.selectFrom('meta').select('value').where('key', '=', key).compile());
const setMeta = statement((db, { key, value }: { key: string; value: string }) =>
  db
    .insertInto('meta')
    .values({ key, value })
    .onConflict((c) => c.column('key').doUpdateSet({ value }))
    .compile(),
);

const metas = keptByVersion<object, ReadonlyMap<string, string>>();

/** Outside of a transaction all values are read together: a tick asks for six, and the planner's notes change with most ticks. */
export async function readMeta(db: Db | Tx, key: string): Promise<string | undefined> {
  if (!isCounted(db)) return (await metaOf(db, { key })).rows[0]?.value;
  const read = async () => new Map((await allMeta(db, {})).rows.map((row) => [row.key, row.value]));
  return (await metas(db, String(tableVersion(db, 'meta')), read)).get(key);
}

export async function writeMeta(db: Db | Tx, key: string, value: string): Promise<void> {
  await setMeta(db, { key, value });
}

/** Forgets a value, or all values whose key begins with the text before `%`. */
export async function forgetMeta(tx: Tx, key: string): Promise<void> {
  await tx.deleteFrom('meta').where('key', 'like', key).execute();
}
