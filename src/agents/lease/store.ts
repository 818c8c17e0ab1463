import type { Selectable } from 'kysely';
import { append } from '../../journal/event.ts';
import { keptRows } from '../../journal/kept-rows.ts';
import type { LeaseRow } from '../../journal/rows/lease.ts';
import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { send } from '../message/store.ts';
import { planGrants } from './plan.ts';
import { type Lease, type LeaseEvent, step } from './state.ts';
import { namesOf } from './words.ts';

/** A lease as the store has it. */
export type Stored = Lease & Readonly<Omit<Selectable<LeaseRow>, keyof Lease>>;

/** The one that asks, found out by the daemon. */
export interface Holder {
  readonly holder: string;
  readonly who: string;
  readonly attempt: number | null;
  /** The lease ends with this process; null: with the attempt, or by a word. */
  readonly process: { readonly pid: number; readonly start: string } | null;
}

export interface NewLease extends Pick<Lease, 'kind' | 'names' | 'mode' | 'count'> {
  readonly origin: LeaseRow['origin'];
  readonly by: Holder;
  readonly reason: string | null;
  readonly until: number | null;
}

export type Capacity = Readonly<Record<string, number>>;

const stored = (row: Selectable<LeaseRow>): Stored => ({ ...row, names: JSON.parse(row.names) as string[] });

const open = keptRows<Stored>('lease');
const inLine = statement((db) => db.selectFrom('lease').selectAll().where('ended', 'is', null).orderBy('id').compile());

/** Every lease that is held or waited for, in the order of arrival. */
export async function openLeases(db: Db | Tx): Promise<Stored[]> {
  return open(db, async () => (await inLine(db, {})).rows.map(stored));
}

export async function findLease(db: Db | Tx, id: number): Promise<Stored | undefined> {
  const row = await db.selectFrom('lease').selectAll().where('id', '=', id).executeTakeFirst();
  return row && stored(row);
}

/** Puts a lease in line, and grants what can be granted. Answers it as it stands then. */
export async function askFor(tx: Tx, wanted: NewLease, capacity: Capacity, now: number): Promise<Stored> {
  const { by, names, ...rest } = wanted;
  const { holder, who, attempt, process } = by;
  const whose = { holder, who, attempt, pid: process?.pid ?? null, pid_start: process?.start ?? null };
  const fresh = { standing: 'waiting', token: null, granted: null, ended: null, why: null } as const;
  const { id } = await tx
    .insertInto('lease')
    .values({ ...rest, ...whose, ...fresh, names: JSON.stringify(names), asked: now })
    .returning('id')
    .executeTakeFirstOrThrow();
  await grantLeases(tx, capacity, now, id);
  const row = (await findLease(tx, id))!;
  if (row.standing === 'waiting')
    await append(tx, { kind: 'lease.asked', ...about(row), text: `${row.who} waits for ${namesOf(row)}`, data: { lease: id } }, now);
  return row;
}

/** Grants what can be granted now, in the order of arrival. `asking`: the one whose holder gets the answer to its call. */
export async function grantLeases(tx: Tx, capacity: Capacity, now: number, asking?: number): Promise<void> {
  const leases = await openLeases(tx);
  if (!leases.some((lease) => lease.standing === 'waiting')) return;
  for (const { id } of planGrants({ leases, capacity })) {
    const row = await advance(tx, id, { on: 'granted', token: await nextToken(tx) }, { granted: now });
    if (!row) continue;
    const data = { lease: id, token: row.token, kind: row.kind, names: row.names, mode: row.mode };
    await append(tx, { kind: 'lease.granted', ...about(row), text: `${row.who} holds ${namesOf(row)}`, data }, now);
    if (id !== asking) await tellTurn(tx, row, now);
  }
}

/** An agent that did not wait in its call hears of its turn by a message. */
async function tellTurn(tx: Tx, { id, who, attempt, pid, origin, ...lease }: Stored, now: number): Promise<void> {
  if (attempt === null || pid !== null || origin === 'needed') return;
  const landed = lease.kind === 'path' ? await landedSince(tx, attempt) : undefined;
  const behind = landed
    ? ` Work has landed since you began: git merge ${landed.slice(0, 12)} brings it in, before you change anything.`
    : '';
  const body = `It is your turn: you hold ${namesOf(lease)} now (lease ${id}).${behind} furrow release ${id} lets the next one have it.`;
  await send(tx, { sender: 'furrow', receiver: who, kind: 'notify', body }, now);
}

/** The newest commit on the target of an attempt that landed after it began. Whoever had the files before most likely changed them there. */
async function landedSince(tx: Tx, attempt: number): Promise<string | undefined> {
  const newest = tx
    .selectFrom('landing')
    .innerJoin('attempt', 'attempt.target', 'landing.target')
    .select('landing.commit')
    .where('attempt.id', '=', attempt)
    .where('landing.removed', 'is', null)
    .whereRef('landing.at', '>', 'attempt.started');
  return (await newest.orderBy('landing.id', 'desc').executeTakeFirst())?.commit;
}

/** An agent that waits at the end of its turn must not wait for ever: it hears that its turn will not come. */
async function tellVain(tx: Tx, { id, who, attempt, pid, origin, ...lease }: Stored, why: string, now: number): Promise<void> {
  if (attempt === null || pid !== null || origin === 'needed') return;
  const running = tx.selectFrom('attempt').select('id').where('id', '=', attempt).where('state', '!=', 'ended');
  if (!(await running.executeTakeFirst())) return;
  const body = `You are no longer in line for ${namesOf(lease)} (lease ${id}): ${why}.`;
  await send(tx, { sender: 'furrow', receiver: who, kind: 'notify', body }, now);
}

/** Ends leases, by proof or by a person's word, and lets the next in line have their turn. Answers those that it ended. */
export async function endLeases(tx: Tx, ids: readonly number[], why: string, capacity: Capacity, now: number): Promise<Stored[]> {
  const ended: Stored[] = [];
  for (const id of ids) ended.push(...(await end(tx, id, { on: 'ended' }, why, now)));
  for (const lease of ended) if (lease.token === null) await tellVain(tx, lease, why, now);
  if (ended.length > 0) await grantLeases(tx, capacity, now);
  return ended;
}

/** The holder releases its lease. Nothing changes when somebody else holds it, or when it has ended. */
export async function releaseLease(tx: Tx, id: number, holder: string, capacity: Capacity, now: number): Promise<boolean> {
  const ended = await end(tx, id, { on: 'released', holder }, 'released', now);
  if (ended.length > 0) await grantLeases(tx, capacity, now);
  return ended.length > 0;
}

/** Hands leases on with the work that they are for: from an attempt to the queue, or back to the next attempt. This gives nobody in line a turn. */
export async function passLeases(tx: Tx, ids: readonly number[], from: string, to: Omit<Holder, 'process'>): Promise<Stored[]> {
  const passed: Stored[] = [];
  const { holder, who, attempt } = to;
  for (const id of ids) {
    const row = await advance(tx, id, { on: 'passed', holder: from, to: holder }, { who, attempt, until: null });
    if (row) passed.push(row);
  }
  return passed;
}

/** Ends what an attempt held or waited for, because it is over; the next in line have their turn. */
export async function endLeasesOf(tx: Tx, attempt: number, why: string, capacity: Capacity, now: number): Promise<void> {
  const own = (await openLeases(tx)).filter((lease) => lease.attempt === attempt);
  await endLeases(
    tx,
    own.map(({ id }) => id),
    why,
    capacity,
    now,
  );
}

async function end(tx: Tx, id: number, event: LeaseEvent, why: string, now: number): Promise<Stored[]> {
  const row = await advance(tx, id, event, { ended: now, why });
  if (!row) return [];
  const had = row.token === null ? 'waits no longer for' : 'no longer holds';
  await append(tx, { kind: 'lease.ended', ...about(row), text: `${row.who} ${had} ${namesOf(row)}: ${why}`, data: { lease: id } }, now);
  return [row];
}

/** Moves a lease by one event. `undefined`: the event does not apply, and nothing changed. */
async function advance(
  tx: Tx,
  id: number,
  event: LeaseEvent,
  also: Partial<Pick<Stored, 'granted' | 'ended' | 'why' | 'who' | 'attempt' | 'until'>>,
): Promise<Stored | undefined> {
  const row = await findLease(tx, id);
  const next = row && step(row, event);
  if (!next) return undefined;
  await tx
    .updateTable('lease')
    .set({ ...also, ...next })
    .where('id', '=', id)
    .execute();
  return { ...row, ...also, ...next };
}

async function nextToken(tx: Tx): Promise<number> {
  const row = await tx
    .selectFrom('lease')
    .select((e) => e.fn.max('token').as('token'))
    .executeTakeFirst();
  return Number(row?.token ?? 0) + 1;
}

/**
 * Numbers the grants of a store that was made anew above all of the lost one: who held something then may still be at work, and whatever is
 * guarded by the number must refuse it. The time in milliseconds is above them, because nobody grants one a millisecond.
 */
export async function grantAbove(tx: Tx, now: number): Promise<void> {
  const lost = { kind: 'resource', names: '[]', mode: 'shared', count: 0, origin: 'held', holder: 'furrow', who: 'furrow' } as const;
  const nobody = { attempt: null, pid: null, pid_start: null, reason: null, until: null } as const;
  const over = { standing: 'ended', token: now, asked: now, granted: now, ended: now, why: 'the store was lost' } as const;
  await tx
    .insertInto('lease')
    .values({ ...lost, ...nobody, ...over })
    .execute();
}

/** A lease of a command at work that outlived the store which had granted it. */
export interface Remembered extends Pick<Lease, 'id' | 'names' | 'mode' | 'count'> {
  readonly token: number;
  readonly process: { readonly pid: number; readonly start: string };
}

/** Stores it as it was, by its own number: its command lets it go by that. */
export async function rememberLease(tx: Tx, { names, process, ...lease }: Remembered, now: number): Promise<void> {
  const whose = {
    holder: `process:${process.pid}:${process.start}`,
    who: 'you',
    attempt: null,
    pid: process.pid,
    pid_start: process.start,
  };
  const rest = { kind: 'resource', origin: 'held', standing: 'held', reason: null, until: null, ended: null, why: null } as const;
  await tx
    .insertInto('lease')
    .values({ ...lease, ...whose, ...rest, names: JSON.stringify(names), asked: now, granted: now })
    .execute();
}

/** The agent that its events name; undefined for a person or a check. */
const about = ({ attempt, who }: Stored) => ({ agent: attempt === null ? null : who });

/** Deletes up to `most` leases that ended before a time; never the newest, so that no number is given out again. */
export async function pruneLeases(db: Db, before: number, most: number): Promise<number> {
  const newest = db.selectFrom('lease').select((e) => e.fn.max('id').as('id'));
  const last = db.selectFrom('lease').select((e) => e.fn.max('token').as('token'));
  const old = db
    .selectFrom('lease')
    .select('id')
    .where('ended', '<', before)
    .where('id', '<', newest)
    .where((e) => e.or([e('token', 'is', null), e('token', '<', last)]))
    .orderBy('id')
    .limit(most);
  return Number((await db.deleteFrom('lease').where('id', 'in', old).executeTakeFirst()).numDeletedRows);
}
