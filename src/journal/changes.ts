import { sql } from 'kysely';
import { statement } from './statement.ts';
import type { Db } from './store.ts';

/**
 * From now on every statement that writes to a task or one of its attempts notes the task's ref; a rollback removes the note. The notes are
 * in memory tables of this connection alone, because a new daemon reads everything anyway.
 */
export async function noteChanges(db: Db): Promise<void> {
  const statements = [
    `pragma temp_store = memory`,
    `create temp table changed_task (ref text primary key) without rowid`,
    ...['task', 'attempt'].flatMap((table) => {
      const name = table === 'task' ? 'ref' : 'task';
      const note = (of: string) => `insert or ignore into changed_task values (${of}.${name})`;
      return [
        `create temp trigger ${table}_inserted after insert on ${table} begin ${note('new')}; end`,
        `create temp trigger ${table}_updated after update on ${table} begin ${note('new')}; end`,
        `create temp trigger ${table}_deleted after delete on ${table} begin ${note('old')}; end`,
      ];
    }),
  ];
  for (const statement of statements) await sql.raw(statement).execute(db);
}

const take = statement((db) => sql<{ ref: string }>`delete from changed_task returning ref`.compile(db));

/** The tasks that were written to since this was last asked. */
export async function takeChanges(db: Db): Promise<string[]> {
  const { rows } = await take(db, {});
  return rows.map((row) => row.ref);
}
