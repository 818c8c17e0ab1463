import { type Kysely, SqliteAdapter, sql } from 'kysely';

/** All that differs between the databases that a store can be on, but for opening one. */
export interface Engine {
  readonly name: 'sqlite' | 'postgres';
  /** A statement of a migration in the words of this engine. Migrations are written as SQLite reads them. */
  define(statement: string): string;
  /** Names the tables of the store. */
  readonly tables: string;
  /** The elements of the JSON array in a column, as rows with a text or number \`value\`. */
  elements(column: string): string;
  /** Statements after which every write to these tables notes the value of a column in `changed_task`, in the same transaction. */
  noting(columns: Readonly<Record<string, string>>): readonly string[];
}

const sqlite: Engine = {
  name: 'sqlite',
  define: (statement) => statement,
  elements: (column) => `json_each(${column})`,
  tables: `select name from sqlite_master where type = 'table'`,
  // Memory tables of this connection alone.
  noting: (columns) => [
    `pragma temp_store = memory`,
    `create temp table changed_task (ref text primary key) without rowid`,
    ...Object.entries(columns).flatMap(([table, column]) => {
      const note = (of: string) => `insert or ignore into changed_task values (${of}.${column})`;
      return [
        `create temp trigger ${table}_inserted after insert on ${table} begin ${note('new')}; end`,
        `create temp trigger ${table}_updated after update on ${table} begin ${note('new')}; end`,
        `create temp trigger ${table}_deleted after delete on ${table} begin ${note('old')}; end`,
      ];
    }),
  ],
};

/**
 * Texts are compared byte by byte, as SQLite does, and integers have 64 bits. An id is one above the highest: a sequence would not follow
 * ids that we give ourselves, and would leave gaps behind a rollback.
 */
const postgres: Engine = {
  name: 'postgres',
  define(statement) {
    const table = /^create table (\w+)/.exec(statement)?.[1];
    return statement
      .replace(/\bid integer primary key( autoincrement)?/, `id bigint primary key default furrow_next_id('${table}')`)
      .replace(/(?<=[\w"] )integer\b/g, 'bigint')
      .replace(/(?<=[\w"] )text(?=[ ,)]|$)/g, 'text collate "C"');
  },
  elements: (column) => `json_array_elements_text(${column}::json) as one (value)`,
  tables: `select tablename as name from pg_tables where schemaname = current_schema()`,
  // Tables that stay: a connection that was lost would take temporary ones with it.
  noting: (columns) => [
    `create table if not exists changed_task (ref text primary key)`,
    `delete from changed_task`,
    ...Object.entries(columns).flatMap(([table, column]) => [
      `create or replace function note_${table}() returns trigger language plpgsql as $$ begin
         insert into changed_task values (case when tg_op = 'DELETE' then old.${column} else new.${column} end) on conflict do nothing;
         return null;
       end $$`,
      `create or replace trigger note_${table} after insert or update or delete on ${table} for each row execute function note_${table}()`,
    ]),
  ],
};

/** The engine of a store, or of a transaction in it. */
// biome-ignore lint/suspicious/noExplicitAny: of any tables
export const engineOf = (db: Kysely<any>): Engine => (db.getExecutor().adapter instanceof SqliteAdapter ? sqlite : postgres);

/** True when the store has this table. */
// biome-ignore lint/suspicious/noExplicitAny: of any tables
export async function hasTable(db: Kysely<any>, name: string): Promise<boolean> {
  const { rows } = await sql<{ name: string }>`select name from (${sql.raw(engineOf(db).tables)}) as tables where name = ${name}`.execute(
    db,
  );
  return rows.length > 0;
}
