import { join } from 'node:path';
import { type Db, openStore } from '../../src/journal/store.ts';
import { folder } from '../work/task/folder.ts';
import { newPostgresStore, onPostgres } from './engines.ts';

/** A new store, gone when the test ends: in a real file, or in the project `postgres` on a real server. */
export async function newStore(): Promise<{ readonly db: Db } & AsyncDisposable> {
  if (onPostgres()) return newPostgresStore();
  const place = folder();
  const db = await openStore(join(place.path, 'store.db'));
  return {
    db,
    [Symbol.asyncDispose]: async () => {
      await db.destroy();
      place[Symbol.dispose]();
    },
  };
}
