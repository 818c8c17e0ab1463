import { openIntents } from '../../journal/act.ts';
import type { Tx } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import type { Entry } from '../../work/entry/store.ts';
import { splitRef } from '../../work/task/id.ts';
import type { LandArgs } from '../acts/land/arguments.ts';

/** Refuses to end an entry while its landing is under way: in a moment it is known whether it landed. */
export async function assertNotLanding(tx: Tx, { id, task }: Pick<Entry, 'id' | 'task'>): Promise<void> {
  const landing = await openIntents(tx, 'landing.land');
  if (landing.some(({ args }) => (args as LandArgs).entries.some((entry) => entry.id === id)))
    throw new FurrowError('TRY_AGAIN', `${splitRef(task).id} is landing just now`, { hint: 'furrow queue' });
}
