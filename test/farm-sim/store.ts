import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { Schema } from '../../src/journal/schema.ts';
import { type Db, migrate, migrations, SCHEMA } from '../../src/journal/store.ts';
import { count, writes } from '../../src/platform/engine/counted.ts';
import { overOneConnection, type RunNow } from '../../src/platform/engine/one-connection.ts';

/** Thrown into whatever a daemon that was killed still has in hand. */
class Killed extends Error {}

/** The life of one daemon, as its store sees it. */
export interface Life {
  alive: boolean;
  /** Asked at each commit: the daemon dies before it, or after it. */
  readonly dies: () => 'before' | 'after' | undefined;
  readonly killed: () => void;
}

interface Prepared {
  readonly statement: StatementSync;
  readonly reader: boolean;
  readonly table: string | undefined;
}

/**
 * The store of a simulated farm: SQLite in memory, which outlives its daemons. A daemon that dies leaves what it had committed, as it would
 * in a file: an open transaction is rolled back, and what belonged to its connection alone is gone.
 */
export class Store {
  readonly #raw = new DatabaseSync(':memory:');
  readonly #prepared = new Map<string, Prepared>();

  constructor() {
    this.#raw.exec('pragma foreign_keys = on');
  }

  /** The connection of a new daemon. */
  async open(life: Life): Promise<Db> {
    this.#forget();
    const own = new Map<string, number>();
    const run: RunNow = (sql, parameters) => {
      if (!life.alive) throw new Killed('the daemon is dead');
      const dies = sql === 'commit' ? life.dies() : undefined;
      if (dies === 'before') this.#end(life);
      const { statement, reader, table } = this.#prepare(sql);
      if (table) own.set(table, (own.get(table) ?? 0) + 1);
      if (reader) return { rows: statement.all(...(parameters as never[])) };
      const { changes, lastInsertRowid } = statement.run(...(parameters as never[]));
      if (dies === 'after') this.#end(life);
      return { rows: [], numAffectedRows: BigInt(changes), insertId: BigInt(lastInsertRowid) };
    };
    const db: Db = overOneConnection<Schema>(run, () => {});
    count(db, { own, others: () => 0 });
    return db;
  }

  /** Makes the tables, in the life of nobody. */
  async begin(): Promise<void> {
    const db = await this.open({ alive: true, dies: () => undefined, killed() {} });
    for (let version = SCHEMA - migrations.length + 1; version <= SCHEMA; version++) await migrate(db, version);
  }

  close(): void {
    this.#prepared.clear();
    this.#raw.close();
  }

  #prepare(sql: string): Prepared {
    const known = this.#prepared.get(sql);
    if (known) return known;
    const statement = this.#raw.prepare(sql);
    const made = { statement, reader: statement.columns().length > 0, table: writes(sql) };
    this.#prepared.set(sql, made);
    return made;
  }

  #end(life: Life): never {
    life.alive = false;
    life.killed();
    throw new Killed('the daemon was killed');
  }

  /** What ends with a connection. */
  #forget(): void {
    if (this.#raw.isTransaction) this.#raw.exec('rollback');
    const own = this.#raw.prepare(`select type, name from temp.sqlite_master where type in ('trigger', 'table') order by type desc`).all();
    for (const { type, name } of own) this.#raw.exec(`drop ${type} temp."${name}"`);
  }
}
