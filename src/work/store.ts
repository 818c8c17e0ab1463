import type { Selectable } from 'kysely';
import { keptRows } from '../journal/kept-rows.ts';
import type { WorkRow } from '../journal/schema.ts';
import { statement } from '../journal/statement.ts';
import type { Db, Tx } from '../journal/store.ts';
import { step, type WorkEvent } from './state.ts';

export type Work = Selectable<WorkRow>;

/** Stores an order for a phase. It replaces the order of work that is still active. */
export async function orderWork(tx: Tx, { phase, ...order }: Omit<Work, 'state' | 'at'>, now: number): Promise<void> {
  const row = { ...order, state: 'active', at: now } as const;
  await tx
    .insertInto('work')
    .values({ phase, ...row })
    .onConflict((c) => c.column('phase').doUpdateSet(row))
    .execute();
}

/** Changes how many agents the work on a phase has, and nothing else of its order. */
export async function widenWork(tx: Tx, phase: string, parallel: number): Promise<void> {
  await tx.updateTable('work').set({ parallel }).where('phase', '=', phase).execute();
}

/** Moves the work on a phase by one event. `false` means that the event does not apply; then nothing changes. */
export async function advanceWork(tx: Tx, phase: string, event: WorkEvent): Promise<boolean> {
  const row = await findWork(tx, phase);
  const next = row && step(row, event);
  if (!next) return false;
  await tx.updateTable('work').set(next).where('phase', '=', phase).execute();
  return true;
}

/** Moves the work on every phase that the event applies to. */
export async function advanceAllWork(tx: Tx, event: WorkEvent): Promise<void> {
  for (const { phase } of await allWork(tx)) await advanceWork(tx, phase, event);
}

/** Notes that the head has passed its checks, or that nobody asks for that any more. */
export async function clearPreflight(tx: Tx): Promise<void> {
  await tx.updateTable('work').set({ preflight: null }).where('preflight', 'is not', null).execute();
}

const ofPhase = statement((db, { phase }: { phase: string }) => db.selectFrom('work').selectAll().where('phase', '=', phase).compile());

/** The newest work on a phase, also one that has ended. */
export async function findWork(db: Db | Tx, phase: string): Promise<Work | undefined> {
  return (await ofPhase(db, { phase })).rows[0];
}

const works = keptRows<Work>('work');

/** The newest work on each phase, also what has ended. */
export async function allWork(db: Db | Tx): Promise<Work[]> {
  return works(db, () => db.selectFrom('work').selectAll().orderBy('phase').execute());
}

/** Work that has not ended. */
export async function openWork(db: Db | Tx): Promise<Work[]> {
  return (await allWork(db)).filter(({ state }) => state !== 'ended');
}
