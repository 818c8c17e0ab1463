import type { EntryState } from '../journal/schema.ts';
import type { Tx } from '../journal/store.ts';
import { type EntryEvent, ended, step, towards } from '../queue/state.ts';

/** Moves an entry to a state, if it can get there from where it is. */
export const moveEntry = (tx: Tx, id: number, state: EntryState, reason: string, now: number): Promise<boolean> =>
  moveEntryBy(tx, id, towards(state), reason, now);

export async function moveEntryBy(tx: Tx, id: number, event: EntryEvent, reason: string, now: number): Promise<boolean> {
  const row = await tx.selectFrom('entry').select(['state', 'task', 'attempt']).where('id', '=', id).executeTakeFirstOrThrow();
  const next = step(row.state, event);
  if (!next) return false;
  await tx
    .updateTable('entry')
    .set({ state: next, reason, ...(ended(next) && { ended: now }) })
    .where('id', '=', id)
    .execute();
  return true;
}
