import type { Db } from '../../journal/store.ts';
import { errandOf } from '../../work/errand/store.ts';

/** The ref of the task that an entrant of a race works on; null for every other task. */
export async function racedTask(db: Db, ref: string): Promise<string | null> {
  const errand = await errandOf(db, ref);
  return errand?.purpose === 'entrant' ? errand.about : null;
}
