import { chmodSync, closeSync, existsSync, openSync, renameSync } from 'node:fs';
import { DatabaseSync, type StatementSync } from 'node:sqlite';
import { type Kysely, sql } from 'kysely';
import { turn } from '../turn.ts';
import { count, writes } from './counted.ts';
import { overOneConnection, type RunNow } from './one-connection.ts';

type Value = null | number | bigint | string | Uint8Array;

interface Prepared {
  readonly statement: StatementSync;
  /** The statement returns rows. */
  readonly reader: boolean;
  /** The table that the statement writes to. */
  readonly table: string | undefined;
}

/**
 * A store in a file of this machine. WAL with `synchronous=FULL`: a committed intent survives a power cut, for
 * 0.13 ms a commit.
 */
export function openSqlite<Tables>(file: string): Kysely<Tables> {
  keepPrivate(file);
  const raw = new DatabaseSync(file);
  raw.exec('pragma journal_mode=wal; pragma synchronous=full; pragma foreign_keys=on; pragma busy_timeout=5000;');
  const cache = new Map<string, Prepared>();
  const prepared = (sql: string): Prepared => {
    const known = cache.get(sql);
    if (known) return known;
    // A deferred transaction cannot upgrade over a newer snapshot: with plain `begin`, 369 of 800 failed at four writers.
    const statement = raw.prepare(sql === 'begin' ? 'begin immediate' : sql);
    // Asked once: reading the columns each time took a fifteenth of the daemon's time while agents talked.
    const made = { statement, reader: statement.columns().length > 0, table: writes(sql) };
    cache.set(sql, made);
    return made;
  };
  const counts = new Map<string, number>();
  const run: RunNow = (sql, parameters) => {
    const { statement, reader, table } = prepared(sql);
    if (table) counts.set(table, (counts.get(table) ?? 0) + 1);
    // A full disk has rolled back by itself; a second rollback would hide that it was the disk.
    if (sql === 'rollback' && !raw.isTransaction) return { rows: [] };
    if (reader) return { rows: statement.all(...(parameters as Value[])) };
    const { changes, lastInsertRowid } = statement.run(...(parameters as Value[]));
    return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
  };
  const close = () => {
    cache.clear();
    if (raw.isOpen) raw.close();
  };
  const db = overOneConnection<Tables>(run, close);
  const others = raw.prepare('pragma data_version');
  count(db, { own: counts, others: oncePerTurn(() => Number(others.get()?.['data_version'])) });
  return db;
}

/** Asks once in a turn of the event loop; a later turn sees the writes of other processes. One landed task asked 577 times, 7 µs each. */
function oncePerTurn(ask: () => number): () => number {
  let known: { readonly turn: number; readonly value: number } | undefined;
  return () => {
    if (known?.turn !== turn()) known = { turn: turn(), value: ask() };
    return known.value;
  };
}

/** Makes the store readable for its user only, whatever the umask. SQLite gives the files beside it the same mode. */
function keepPrivate(file: string): void {
  closeSync(openSync(file, 'a', 0o600));
  for (const end of ['', '-wal', '-shm']) if (existsSync(`${file}${end}`)) chmodSync(`${file}${end}`, 0o600);
}

/** Copies the write-ahead log into the store's file. */
export async function writeLogBack<Tables>(db: Kysely<Tables>): Promise<void> {
  await sql`pragma wal_checkpoint(truncate)`.execute(db);
}

/** Copies the write-ahead log into the store and begins a new log, because somebody removed the one that is open. */
export async function renewLog<Tables>(db: Kysely<Tables>): Promise<void> {
  for (const mode of ['delete', 'wal']) await sql`pragma journal_mode=${sql.raw(mode)}`.execute(db);
}

/** SQLITE_CORRUPT and SQLITE_NOTADB, with any of their extensions in the upper bits. */
export function isBroken(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && [11, 26].includes(Number(error.errcode) & 0xff);
}

/** Puts a store aside, whole, so that the next start makes a new one. */
export function putStoreAside(file: string, now: number, why = 'broken'): string {
  const aside = `${file}.${why}-${now}`;
  for (const end of ['-wal', '-shm', '']) if (existsSync(`${file}${end}`)) renameSync(`${file}${end}`, `${aside}${end}`);
  return aside;
}
