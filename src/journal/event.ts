import { type Selectable, sql } from 'kysely';
import { redactedJson } from '../platform/redact.ts';
import type { EventKind } from './event-kind.ts';
import { keptRows } from './kept-rows.ts';
import type { EventRow } from './rows/event.ts';
import { statement } from './statement.ts';
import type { Db, Tx } from './store.ts';

export interface NewEvent {
  readonly kind: EventKind;
  readonly agent?: string | null;
  /** Ref of the task. */
  readonly task?: string | null;
  readonly attempt?: number | null;
  /** One sentence for people. */
  readonly text: string;
  readonly data?: Readonly<Record<string, unknown>>;
}

export type StoredEvent = Selectable<EventRow>;

// The writer numbers events itself, in the transaction that makes it the only writer.
const insert = statement((db, { at, kind, agent, task, attempt, data }: Omit<StoredEvent, 'seq'>) =>
  sql`insert into "event" ("seq", "at", "kind", "agent", "task", "attempt", "data")
    values ((select coalesce(max("seq"), 0) + 1 from "event"), ${at}, ${kind}, ${agent}, ${task}, ${attempt}, ${data})`.compile(db),
);

/** Adds an event in the transaction of the change that it reports, so that history cannot differ from the state. */
export async function append(tx: Tx, event: NewEvent, now: number): Promise<void> {
  const { kind, agent = null, task = null, attempt = null, text } = event;
  // The log is shown, copied and pasted: a key in a command line or an error must not be in it.
  const data = redactedJson({ text, ...event.data });
  await insert(tx, { at: now, kind, agent, task, attempt, data });
}

const after = keptRows<StoredEvent>('event');

const since = statement((db, { seq, limit }: { seq: number; limit: number }) =>
  db.selectFrom('event').selectAll().where('seq', '>', seq).orderBy('seq').limit(limit).compile(),
);

export async function eventsAfter(db: Db, seq: number, limit = 1000): Promise<StoredEvent[]> {
  return after(db, async () => (await since(db, { seq, limit })).rows, `${seq} ${limit}`);
}

export async function lastSeq(db: Db): Promise<number> {
  return Number((await newest(db, {})).rows[0]?.seq ?? 0);
}

const newest = statement((db) =>
  db
    .selectFrom('event')
    .select((e) => e.fn.max('seq').as('seq'))
    .compile(),
);

/** The numbers of the oldest event, the newest, and the oldest since a time; `undefined` when there are no events. */
export async function seqRange(db: Db, since: number): Promise<{ first: number; last: number; young: number | undefined } | undefined> {
  const { rows } = await sql<{ first: number | null; last: number | null; young: number | null }>`
    select min(seq) as first, max(seq) as last, (select min(seq) from event where at >= ${since}) as young from event`.execute(db);
  const { first, last, young } = rows[0] ?? {};
  return first == null || last == null ? undefined : { first, last, young: young ?? undefined };
}

/** The number of the oldest event among the newest ones that fit into so many bytes; undefined when all fit. */
export async function firstWithin(db: Db, bytes: number): Promise<number | undefined> {
  const { rows } = await sql<{ seq: number }>`select seq + 1 as seq
    from (select seq, sum(length(data)) over (order by seq desc) as total from event) as sums where total > ${bytes} order by seq desc limit 1`.execute(
    db,
  );
  return rows[0]?.seq;
}

/** Deletes the events before a number. It starts with the oldest and never deletes all: `seq` has no gaps and never restarts. */
export async function pruneEvents(db: Db, before: number): Promise<void> {
  await db.deleteFrom('event').where('seq', '<', before).execute();
}

/** The newest events of these kinds, the newest first: of all tasks, or of one. */
export async function newestEvents(db: Db, kinds: readonly EventKind[], limit: number, task?: string): Promise<StoredEvent[]> {
  return db
    .selectFrom('event')
    .selectAll()
    .where('kind', 'in', kinds)
    .$if(task !== undefined, (q) => q.where('task', '=', task!))
    .orderBy('seq', 'desc')
    .limit(limit)
    .execute();
}

/** Events of a kind at these times. */
export async function eventsAt(db: Db, kind: EventKind, times: readonly number[]): Promise<StoredEvent[]> {
  return db.selectFrom('event').selectAll().where('kind', '=', kind).where('at', 'in', times).orderBy('seq').execute();
}

/** True when the log names this agent. */
export async function namesAgent(db: Db, agent: string): Promise<boolean> {
  return (await db.selectFrom('event').select('seq').where('agent', '=', agent).executeTakeFirst()) !== undefined;
}
