import type { Selectable } from 'kysely';
import type { Usage } from '../../agent/event.ts';
import type { HeardRow } from '../../journal/schema.ts';
import type { Db, Tx } from '../../journal/store.ts';
import type { Clock } from '../../platform/clock.ts';
import { emptySignals, type Signals } from '../../supervision/signals.ts';
import type { TurnDecision } from '../../supervision/turn-end.ts';

/** The actions that supervision has taken for a running attempt so far. */
export interface Care {
  readonly reminders: number;
  readonly looks: number;
  readonly lookedAt: number | null;
  readonly nudges: number;
  readonly nudgedAt: number | null;
  /** The number of times it was told to go on after a failed turn. */
  readonly continues: number;
  readonly continuedAt: number | null;
  /** The condition the human was last asked about. */
  readonly askedFor: string | null;
  readonly askedAt: number | null;
  /** When its process was first seen to be gone. */
  readonly endedAt: number | null;
  /** Its process ended with the turn that failed: what failed is seen to, and then it is started anew. */
  readonly halted: boolean;
}

export const NO_CARE: Care = {
  reminders: 0,
  looks: 0,
  lookedAt: null,
  nudges: 0,
  nudgedAt: null,
  continues: 0,
  continuedAt: null,
  askedFor: null,
  askedAt: null,
  endedAt: null,
  halted: false,
};

/** The decision at the end of a turn; it holds until the next turn begins. */
export type Turn = TurnDecision & { readonly at: number; readonly last: string };

export interface Heard {
  readonly session: string | null;
  readonly signals: Signals;
  readonly turn: Turn | null;
  readonly care: Care;
}

export function readHeard(row: Selectable<HeardRow>): Heard {
  return {
    session: row.session,
    signals: JSON.parse(row.signals) as Signals,
    turn: row.turn ? (JSON.parse(row.turn) as Turn) : null,
    care: { ...NO_CARE, ...(JSON.parse(row.care) as Partial<Care>) },
  };
}

export async function heardOf(db: Db | Tx, attempt: number): Promise<Heard | undefined> {
  const row = await db.selectFrom('heard').selectAll().where('attempt', '=', attempt).executeTakeFirst();
  return row && readHeard(row);
}

export async function writeHeard(tx: Db | Tx, attempt: number, heard: Heard, now: number): Promise<void> {
  const row = {
    session: heard.session,
    signals: JSON.stringify(heard.signals),
    turn: heard.turn && JSON.stringify(heard.turn),
    care: JSON.stringify(heard.care),
    at: now,
  };
  await tx
    .insertInto('heard')
    .values({ attempt, ...row })
    .onConflict((c) => c.column('attempt').doUpdateSet(row))
    .execute();
}

/** It was started and has not said anything, unless it was faster than we are: until it does, it is starting, not at work. */
export async function beginHearing(tx: Tx, attempt: number, clock: Clock): Promise<void> {
  const signals = JSON.stringify(emptySignals(clock.awake()));
  const row = { attempt, session: null, signals, turn: null, care: JSON.stringify(NO_CARE), at: clock.now() };
  await tx
    .insertInto('heard')
    .values(row)
    .onConflict((c) => c.column('attempt').doNothing())
    .execute();
}

/** Stores what a conversation has used in all; an older figure never replaces a newer one. */
export async function writeUsage(
  tx: Db | Tx,
  attempt: number,
  session: string,
  usage: Usage,
  usd: number | null,
  now: number,
): Promise<void> {
  const known = await tx.selectFrom('usage').selectAll().where('attempt', '=', attempt).where('session', '=', session).executeTakeFirst();
  const row = {
    input: usage.input,
    output: usage.output,
    cache_read: usage.cacheRead,
    cache_write: usage.cacheWrite,
    micros: usd === null ? (known?.micros ?? null) : Math.max(Math.round(usd * 1e6), known?.micros ?? 0),
    model: usage.model ?? null,
    at: now,
  };
  const total = (one: { input: number; output: number; cache_read: number; cache_write: number }) =>
    one.input + one.output + one.cache_read + one.cache_write;
  if (known && total(known) > total(row)) return;
  await tx
    .insertInto('usage')
    .values({ attempt, session, ...row })
    .onConflict((c) => c.columns(['attempt', 'session']).doUpdateSet(row))
    .execute();
}
