import type { Db } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import { isIssue } from '../../work/task/parse.ts';

/** Issues whose tasks are being written at this moment; each resolves when that is over. */
const inHand = new Map<string, Promise<void>>();

/** Holds an issue while its task is written: one issue becomes one task, also when two people import it at the same time. */
export async function oneTaskOf(db: Db, issue: string | undefined): Promise<Disposable> {
  if (issue === undefined) return { [Symbol.dispose]: () => {} };
  if (!isIssue(issue)) throw new FurrowError('USAGE', 'the address of an issue begins with https://', { hint: 'furrow import --issue N' });
  while (inHand.has(issue)) await inHand.get(issue);
  const { promise, resolve } = Promise.withResolvers<void>();
  inHand.set(issue, promise);
  const held = {
    [Symbol.dispose]: () => {
      inHand.delete(issue);
      resolve();
    },
  };
  try {
    const row = await db.selectFrom('task').select('id').where('issue', '=', issue).where('missing', 'is', null).executeTakeFirst();
    if (row) throw new FurrowError('HAS_TASK', `${issue} is task ${row.id} already`, { hint: `furrow show ${row.id}` });
    return held;
  } catch (error) {
    held[Symbol.dispose]();
    throw error;
  }
}
