import type { Selectable } from 'kysely';
import type { LandingRow } from '../../journal/rows/landing.ts';
import type { Tx } from '../../journal/store.ts';
import { type LandingEvent, step } from './state.ts';

export type Landing = Selectable<LandingRow>;

/** The state of the target after one entry of a landing. */
interface Step {
  readonly entry: number;
  readonly commit: string;
  readonly tree: string;
}

/** A move of the verified head, before it has a row. */
interface NewLanding extends Pick<Landing, 'target' | 'commit' | 'tree' | 'parent' | 'at'> {
  /** In the order they are stacked in. */
  readonly entries: readonly number[];
  readonly steps: readonly Step[];
  /** Hash of the checks that were in force; null: not known. */
  readonly checks: string | null;
  readonly published: number | null;
}

export async function addLanding(tx: Tx, landing: NewLanding): Promise<void> {
  const { entries, steps } = landing;
  await tx
    .insertInto('landing')
    .values({ ...landing, entries: JSON.stringify(entries), steps: JSON.stringify(steps) })
    .execute();
}

/** Moves a landing by one event, and returns its new state. `undefined`: the event does not apply, and nothing changed. */
export async function advanceLanding(tx: Tx, id: number, event: LandingEvent): Promise<Landing | undefined> {
  const row = await tx.selectFrom('landing').select(['published', 'removed']).where('id', '=', id).executeTakeFirst();
  const next = row && step(row, event);
  if (!next) return undefined;
  return tx.updateTable('landing').set(next).where('id', '=', id).returningAll().executeTakeFirst();
}

/** Forgets a landing that never reached its target, because a person's commits came first; its work is queued again. */
export async function forgetLanding(tx: Tx, id: number): Promise<void> {
  await tx.deleteFrom('landing').where('id', '=', id).execute();
}

/** The ids of its entries, in the order they are stacked in. */
export const entriesOf = (landing: Pick<Landing, 'entries'>): number[] => JSON.parse(landing.entries) as number[];

export const stepsOf = (landing: Pick<Landing, 'steps'>): Step[] => JSON.parse(landing.steps) as Step[];
