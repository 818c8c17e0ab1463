import { sql } from 'kysely';
import { engineOf } from '../platform/engine/engine.ts';
import { statement } from './statement.ts';
import type { Db } from './store.ts';

/**
 * From now on every statement that writes to a task or one of its attempts notes the task's ref; a rollback removes the note. The notes of
 * an earlier daemon are forgotten, because a new one reads everything anyway.
 */
export async function noteChanges(db: Db): Promise<void> {
  for (const statement of engineOf(db).noting({ task: 'ref', attempt: 'task' })) await sql.raw(statement).execute(db);
}

const take = statement((db) => sql<{ ref: string }>`delete from changed_task returning ref`.compile(db));

/** The tasks that were written to since this was last asked. */
export async function takeChanges(db: Db): Promise<string[]> {
  const { rows } = await take(db, {});
  return rows.map((row) => row.ref);
}
