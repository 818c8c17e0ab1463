import { waits } from '../../agents/lease/plan.ts';
import { workIn } from '../../agents/lease/state.ts';
import { openLeases, type Stored } from '../../agents/lease/store.ts';
import { inWay, namesOf } from '../../agents/lease/words.ts';
import type { Out } from '../../api/contract.ts';
import { findAttempt } from '../../work/attempt/store.ts';
import type { Reason } from '../../work/task/explain.ts';
import { splitRef } from '../../work/task/id.ts';
import type { Farm } from '../farm/farm.ts';
import { iso } from './context.ts';

type Shown = Out<'locks'>['leases'][number];

/** Leases as clients see them: with the task of their holder, and the holders that they wait for. */
export async function showLeases(farm: Farm, rows: readonly Stored[]): Promise<Shown[]> {
  const { db } = farm;
  const now = farm.clock.now();
  const line = waits({ leases: await openLeases(db), capacity: farm.config.resources });
  const behind = new Map([...line].map(([{ id }, others]) => [id, others as Stored[]]));
  const at = (time: number | null) => (time === null ? null : iso(time));
  return Promise.all(
    rows.map(async (row): Promise<Shown> => {
      const attempt = row.attempt === null ? undefined : await findAttempt(db, row.attempt);
      return {
        id: String(row.id),
        kind: row.kind,
        names: [...row.names],
        mode: row.mode,
        count: row.count,
        state: row.standing,
        holder: row.who,
        task: taskOf(attempt?.task ?? workIn(row)),
        attempt: attempt?.n ?? null,
        origin: row.origin,
        reason: row.reason,
        asked: iso(row.asked),
        since: at(row.granted),
        until: at(row.until),
        overdue: row.standing === 'held' && row.until !== null && row.until <= now,
        token: row.token,
        behind: (behind.get(row.id) ?? []).map(({ id, who, names, until, reason }) => ({
          id: String(id),
          holder: who,
          names: [...names],
          until: at(until),
          reason,
        })),
      };
    }),
  );
}

const taskOf = (ref: string | undefined) => (ref === undefined ? null : splitRef(ref).id);

/** The holders that each waiting lease waits for. */
export async function leaseReasons(farm: Farm, isMeant: (lease: Stored) => boolean): Promise<Reason[]> {
  const line = waits({ leases: await openLeases(farm.db), capacity: farm.config.resources });
  return [...line].flatMap(([lease, behind]) => {
    const mine = lease as Stored;
    if (!isMeant(mine)) return [];
    const text = `${mine.who} waits for ${namesOf(mine)}: ${inWay(behind as Stored[], farm.clock.now())}`;
    return [{ code: mine.kind === 'path' ? 'paths' : 'resource', text, refs: behind.map(({ id }) => String(id)) }];
  });
}
