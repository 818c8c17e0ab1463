import { join } from 'node:path';
import { type Db, openStore } from '../../src/journal/store.ts';
import { folder } from '../work/task/folder.ts';

/** A new store in a real file, gone when the test ends. */
export async function newStore(): Promise<{ readonly db: Db } & AsyncDisposable> {
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
