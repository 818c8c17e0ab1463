import type { Selectable } from 'kysely';
import type { HostRow } from '../journal/rows/host.ts';
import type { Db, Tx } from '../journal/store.ts';
import { type HostEvent, type Standing, step } from './state.ts';

export type StoredHost = Selectable<HostRow>;

/** The words of a host about itself, whenever it comes. */
export interface HostSays {
  readonly labels: readonly string[];
  readonly agents: number;
  readonly checks: number;
  /** Platform and versions, in words: unlike machines may answer a check differently. */
  readonly class: string;
  readonly version: string;
}

/** An invitation that was not used, is forgotten so long after its end. */
const KEPT_MS = 24 * 3600_000;

export async function addInvite(tx: Tx, token: string, now: number, until: number): Promise<void> {
  await tx
    .deleteFrom('invite')
    .where('host', 'is', null)
    .where('until', '<', now - KEPT_MS)
    .execute();
  await tx.insertInto('invite').values({ token, made: now, until, host: null }).execute();
}

/** Uses an invitation, once. The answer says why that was not possible. */
export async function takeInvite(tx: Tx, token: string, host: string, now: number): Promise<'taken' | 'used' | 'expired' | 'none'> {
  const row = await tx.selectFrom('invite').selectAll().where('token', '=', token).executeTakeFirst();
  if (!row) return 'none';
  if (row.host !== null) return 'used';
  if (row.until < now) return 'expired';
  await tx.updateTable('invite').set({ host }).where('token', '=', token).execute();
  return 'taken';
}

/** The end of the last invitation that nobody has used; undefined: there is none. */
export async function openInviteUntil(db: Db, now: number): Promise<number | undefined> {
  const row = await db
    .selectFrom('invite')
    .select('until')
    .where('host', 'is', null)
    .where('until', '>', now)
    .orderBy('until', 'desc')
    .executeTakeFirst();
  return row?.until;
}

/** Every host that ever joined, removed ones included, by name. */
export async function allHosts(db: Db | Tx): Promise<StoredHost[]> {
  return db.selectFrom('host').selectAll().orderBy('name').execute();
}

export async function hostNamed(db: Db | Tx, name: string): Promise<StoredHost | undefined> {
  return db.selectFrom('host').selectAll().where('name', '=', name).executeTakeFirst();
}

/** The host whose key has this hash. */
export async function hostWithKey(db: Db | Tx, key: string): Promise<StoredHost | undefined> {
  return db.selectFrom('host').selectAll().where('key', '=', key).executeTakeFirst();
}

/** Stores a new host. It may have the name of a removed one, whose key then means nothing any more. */
export async function addHost(tx: Tx, name: string, key: string, says: HostSays, now: number): Promise<void> {
  await tx.deleteFrom('host').where('name', '=', name).where('standing', '=', 'removed').execute();
  await tx
    .insertInto('host')
    .values({ name, key, standing: 'joined', ...columnsOf(says), joined: now })
    .execute();
}

/** Stores what a known host says of itself now. */
export async function noteHost(tx: Tx, name: string, says: HostSays): Promise<void> {
  await tx.updateTable('host').set(columnsOf(says)).where('name', '=', name).execute();
}

const columnsOf = ({ labels, agents, checks, class: of, version }: HostSays) => ({
  ...{ labels: JSON.stringify(labels), agents, checks, version },
  class: of,
});

/** Changes the standing of a host. `undefined`: there is none of that name, or the event does not apply. */
export async function advanceHost(tx: Tx, name: string, event: HostEvent): Promise<Standing | undefined> {
  const row = await hostNamed(tx, name);
  const next = row && step(row.standing, event);
  if (next === undefined) return undefined;
  await tx.updateTable('host').set({ standing: next }).where('name', '=', name).execute();
  return next;
}

/** A word is asked for again for as long as a machine can be away and still be believed. */
const WORDS_MS = 7 * 24 * 3600_000;

/** One thing that an agent elsewhere said: the life of the process that carried it, and its number there. */
export interface Word {
  readonly host: string;
  readonly life: string;
  readonly seq: number;
}

/**
 * Does what a word asks for, and keeps its answer, in one transaction: a word that comes again, because its answer was lost, gets that and changes nothing.
 * An answer of undefined is a refusal, and is not kept. A call of this machine is no word.
 */
export async function once(
  tx: Tx,
  word: Word | undefined,
  at: number,
  work: () => Promise<string | undefined>,
): Promise<string | undefined> {
  if (!word) return work();
  const { host, life, seq } = word;
  const known = await tx
    .selectFrom('word')
    .select('answer')
    .where('host', '=', host)
    .where('life', '=', life)
    .where('seq', '=', seq)
    .executeTakeFirst();
  if (known) return known.answer;
  const answer = await work();
  if (answer === undefined) return undefined;
  await tx
    .deleteFrom('word')
    .where('at', '<', at - WORDS_MS)
    .execute();
  await tx.insertInto('word').values({ host, life, seq, answer, at }).execute();
  return answer;
}
