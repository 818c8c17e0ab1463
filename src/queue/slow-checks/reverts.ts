import type { Selectable } from 'kysely';
import { keptRows } from '../../journal/kept-rows.ts';
import type { RevertRow } from '../../journal/rows/landing.ts';
import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import type { Rework } from '../../work/task/rework.ts';

type Revert = Selectable<RevertRow>;

/** Stores that a landed task is being taken back or, without `built`, that no revert could be built for it. */
export async function addRevert(
  tx: Tx,
  revert: Pick<Revert, 'step' | 'task' | 'check'>,
  built: { readonly entry: number; readonly rework: Rework } | undefined,
  now: number,
): Promise<void> {
  const report = built ? JSON.stringify(built.rework) : '';
  await tx
    .insertInto('revert')
    .values({ ...revert, entry: built?.entry ?? null, report, at: now, reopened: null })
    .execute();
}

export async function noteReopened(tx: Tx, id: number, now: number): Promise<void> {
  await tx.updateTable('revert').set({ reopened: now }).where('id', '=', id).execute();
}

/** A revert that has landed and whose task must still be reopened. */
export interface LandedRevert extends Pick<Revert, 'id' | 'task'> {
  readonly attempt: number;
  readonly rework: Rework;
}

const landed = keptRows<Omit<LandedRevert, 'rework'> & { readonly report: string }>('revert', 'entry');

const unread = statement((db) =>
  db
    .selectFrom('revert')
    .innerJoin('entry', 'entry.id', 'revert.entry')
    .select(['revert.id', 'revert.task', 'revert.report', 'entry.attempt'])
    .where('revert.reopened', 'is', null)
    .where('entry.state', '=', 'landed')
    .orderBy('revert.id')
    .compile(),
);

export async function landedReverts(db: Db): Promise<LandedRevert[]> {
  const rows = await landed(db, async () => (await unread(db, {})).rows);
  return rows.map(({ report, ...row }) => ({ ...row, rework: JSON.parse(report) as Rework }));
}

/** Newest first: for a step that was taken back twice the last try counts. */
export async function readReverts(db: Db) {
  const rows = await db
    .selectFrom('revert')
    .leftJoin('entry', 'entry.id', 'revert.entry')
    .select(['revert.step', 'revert.entry', 'entry.state', 'entry.ended'])
    .orderBy('revert.id', 'desc')
    .execute();
  return rows.map(({ step, entry, state, ended }) => {
    const open = entry !== null && state !== null && ended === null;
    return { step, entry, state: open ? ('open' as const) : state === 'landed' ? ('landed' as const) : ('failed' as const) };
  });
}
