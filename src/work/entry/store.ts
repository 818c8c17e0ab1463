import { type Insertable, type Selectable, sql, type Updateable } from 'kysely';
import { elementsOf } from '../../journal/elements.ts';
import { append } from '../../journal/event.ts';
import type { EntryRow } from '../../journal/rows/entry.ts';
import { change, statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { type EntryEvent, ended, step } from './state.ts';
import type { Asked } from './submitter.ts';

export type Entry = Selectable<EntryRow>;

/** A submitted attempt, before it has a row. */
export interface Submitted {
  readonly task: { readonly ref: string; readonly id: string; readonly title: string };
  readonly attempt: number;
  readonly agent: string | null;
  readonly sha: string;
  /** The branch it is to land on. */
  readonly target: string;
  readonly after?: readonly string[];
  /** Null: that of its task. */
  readonly priority?: number | null;
  /** Its own commits stay in the history behind the landing. */
  readonly keep: boolean;
  readonly asked: Asked;
}

/** Puts submitted work at the end of the queue, and answers the id of its entry. */
export async function submitEntry(tx: Tx, { task, ...entry }: Submitted, now: number): Promise<number> {
  const id = await insert(tx, {
    task: task.ref,
    attempt: entry.attempt,
    agent: entry.agent,
    title: task.title,
    sha: entry.sha,
    target: entry.target,
    after: JSON.stringify(entry.after ?? []),
    priority: entry.priority ?? null,
    keep: entry.keep ? 1 : 0,
    land: JSON.stringify(entry.asked),
    paths: null,
    state: 'queued',
    reason: null,
    at: now,
    ended: null,
  });
  await append(
    tx,
    {
      kind: 'entry.submitted',
      agent: entry.agent,
      task: task.ref,
      attempt: entry.attempt,
      text: `${task.id} is in the queue at ${entry.sha.slice(0, 8)}`,
      data: { sha: entry.sha, entry: id, target: entry.target },
    },
    now,
  );
  return id;
}

/** Queues the work of an ended entry again, as a new entry with the same facts. */
export async function queueAgain(tx: Tx, { id: _, ...entry }: Entry, now: number): Promise<number> {
  return insert(tx, { ...entry, state: 'queued', reason: null, at: now, ended: null });
}

/** Stores an entry that landed before the store was lost, with what its landing tells. */
export async function addLanded(
  tx: Tx,
  { at, ...entry }: Pick<Entry, 'task' | 'attempt' | 'agent' | 'title' | 'sha' | 'target' | 'at'>,
): Promise<number> {
  const unknown = { after: '[]', priority: null, keep: 0, paths: null, reason: null };
  return insert(tx, { ...entry, ...unknown, state: 'landed', at, ended: at });
}

const insertEntry = change((db, columns: Insertable<EntryRow>, _key: object) =>
  db.insertInto('entry').values(columns).returning('id').compile(),
);

async function insert(tx: Tx, row: Omit<Entry, 'id' | 'checks' | 'land' | 'approved'> & Partial<Entry>): Promise<number> {
  return (await insertEntry(tx, row, {})).rows[0]!.id;
}

const stateOf = statement((db, { id }: { id: number }) => db.selectFrom('entry').select('state').where('id', '=', id).compile());

/** Moves an entry by one event, with the reason. `false`: the event does not apply, and nothing changes. */
export async function advanceEntry(
  tx: Tx,
  id: number,
  event: EntryEvent,
  now: number,
  also: Pick<Updateable<EntryRow>, 'checks'> & { readonly reason: string | null },
): Promise<boolean> {
  const [found] = (await stateOf(tx, { id })).rows;
  if (!found) throw new Error(`there is no entry ${id}`);
  const { state } = found;
  const next = step(state, event);
  if (!next) return false;
  await changeEntry(tx, { ...also, state: next, ...(ended(next) && { ended: now }) }, { id });
  return true;
}

const changeEntry = change((db, columns: Updateable<EntryRow>, { id }: { id: number }) =>
  db.updateTable('entry').set(columns).where('id', '=', id).compile(),
);

/**
 * Replaces the commit of entries by another one, because git lost something behind it. Landed entries too: unpublished ones may be queued
 * again. A yes does not carry over, because it was for the other commit.
 */
export async function reshaEntries(tx: Tx, from: string, to: string): Promise<void> {
  await tx.updateTable('entry').set({ sha: to, approved: null }).where('sha', '=', from).execute();
}

/** Notes a person's yes to the commit of an entry. `false`: it has one already, or has left the queue. */
export async function approveEntry(tx: Tx, id: number, now: number): Promise<boolean> {
  const said = await tx
    .updateTable('entry')
    .set({ approved: now })
    .where('id', '=', id)
    .where('approved', 'is', null)
    .where('ended', 'is', null)
    .executeTakeFirst();
  return said.numUpdatedRows > 0n;
}

/** Notes why an entry waits; one that has left the queue keeps the reason of its end. */
export async function noteReason(tx: Tx, id: number, reason: string): Promise<void> {
  await tx.updateTable('entry').set({ reason }).where('id', '=', id).where('ended', 'is', null).execute();
}

/** Notes the checks that an entry was judged by. */
export async function noteChecks(tx: Tx, id: number, checks: string | null): Promise<void> {
  await changeEntry(tx, { checks }, { id });
}

/** Notes the paths that an entry changes, and the rules that ask for a person's yes because of them. */
export async function noteChange(db: Db | Tx, id: number, paths: readonly string[], asked: Asked): Promise<void> {
  await changeEntry(db, { paths: JSON.stringify(paths), land: JSON.stringify(asked) }, { id });
}

/** Gives the target in force to entries that have not ended and name none, which earlier versions wrote. */
export async function aimEntries(tx: Tx, target: string): Promise<void> {
  await tx.updateTable('entry').set({ target }).where('target', 'is', null).where('ended', 'is', null).execute();
}

/**
 * Deletes up to `most` entries that ended before a time. It keeps the newest of each task (its attempt is a token, and others may wait for
 * its end), and those that reverts and the newest `landings` name. Answers how many it deleted.
 */
export async function pruneEntries(db: Db | Tx, before: number, landings: number, most: number): Promise<number> {
  const gone = await sql`delete from entry where id in (
    select old.id from entry as old
    where old.ended < ${before}
      and exists (select 1 from entry as newer where newer.task = old.task and newer.id > old.id)
      and not exists (select 1 from entry as open where open.task = old.task and open.ended is null)
      and old.id not in (select entry from "revert" where entry is not null)
      and old.id not in (
        select cast(value as bigint) from (select entries from landing order by id desc limit ${landings}) as recent, ${elementsOf(db, 'recent.entries')})
    order by old.id limit ${most})`.execute(db);
  return Number(gone.numAffectedRows ?? 0);
}
