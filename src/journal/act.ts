import { type Selectable, sql } from 'kysely';
import { FurrowError } from '../platform/error.ts';
import { faultPoint } from '../platform/fault.ts';
import { commitTogether } from './commit-together.ts';
import type { IntentRow } from './rows/event.ts';
import { statement } from './statement.ts';
import type { Db, Tx } from './store.ts';

/** Takes a change of memory. It is made once the transaction is committed, and never if that fails. */
export type After = (change: () => void) => void;

/**
 * Something done to the world, in a way that survives kill -9 at any instant: `begin` and the intent are one transaction; then the world is
 * changed; then `finish` and the end of the intent are one transaction. After a crash an open intent is probed ("is it already done?") and
 * either finished or run again, so `run` must be safe to repeat. `failed` stores what a thrown error means; without it the error is only
 * logged. Changes of memory go through `after`, because a transaction that is rolled back must change nothing.
 */
export interface Act<Args, Result> {
  readonly kind: string;
  /** A row of the store holds the order until `finish` takes it out, so there is no intent: whoever finds the row runs the act. */
  readonly ordered?: true | undefined;
  begin?(tx: Tx, args: Args, now: number, after: After): Promise<void>;
  probe(args: Args): Promise<Result | undefined>;
  run(args: Args): Promise<Result>;
  /** After a crash: true when the world is half changed, which must not stay so. Without `begun`, an act is all or nothing. */
  begun?(args: Args): Promise<boolean>;
  finish(tx: Tx, args: Args, result: Result, now: number, after: After): Promise<void>;
  failed?(tx: Tx, args: Args, error: Error, now: number, after: After): Promise<void>;
}

/** The code of an error that ends nothing: another machine goes on with the act, and the next daemon asks it. The intent stays open. */
export const GOES_ON = 'GOES_ON';

// biome-ignore lint/suspicious/noExplicitAny: a registry of acts of every shape; each is type-checked where it is defined
export type AnyAct = Act<any, any>;

export interface Intent {
  /** `undefined`: the order is in a row of its own. */
  readonly id: number | undefined;
  readonly kind: string;
  readonly key: string;
  readonly args: unknown;
  readonly at: number;
}

type Opened = Pick<IntentRow, 'kind' | 'key' | 'args' | 'at'>;

const open = statement((db, { kind, key, args, at }: Opened) =>
  db.insertInto('intent').values({ kind, key, args, state: 'open', at, ended: null, result: null }).returning('id').compile(),
);

const close = statement((db, { id, state, ended, result }: { id: number; state: 'done' | 'failed'; ended: number; result: string }) =>
  db.updateTable('intent').set({ state, ended, result }).where('id', '=', id).where('state', '=', 'open').compile(),
);

/** The crash points of one kind of act; the crash test goes through them for every act. */
export function pointsOf(kind: string): readonly string[] {
  return [`${kind}.before`, `${kind}.after`];
}

/** Commits the intent. An error of `begin` is a refusal: nothing was written. */
export async function intend<Args>(db: Db, act: Act<Args, unknown>, key: string, args: Args, now: number): Promise<Intent> {
  if (act.ordered) return { id: undefined, kind: act.kind, key, args, at: now };
  return committed(db, async (tx, after) => {
    await act.begin?.(tx, args, now, after);
    const { rows } = await open(tx, { kind: act.kind, key, args: JSON.stringify(args), at: now });
    return { id: rows[0]!.id, kind: act.kind, key, args, at: now };
  });
}

/** Does the act and stores the outcome. `again`: the intent was found open after a crash, so the world is asked first. */
export async function carryOut<Args, Result>(
  db: Db,
  act: Act<Args, Result>,
  intent: Intent,
  again: boolean,
  now: () => number,
): Promise<void> {
  const args = intent.args as Args;
  let result: Result;
  try {
    const known = again ? await act.probe(args) : undefined;
    await faultPoint(`${act.kind}.before`);
    result = known ?? (await act.run(args));
    await faultPoint(`${act.kind}.after`);
  } catch (thrown) {
    const error = thrown instanceof Error ? thrown : new Error(String(thrown));
    if (error instanceof FurrowError && error.code === GOES_ON) throw error;
    await end(db, intent, { state: 'failed', result: error.message, at: now() }, (tx, at, after) =>
      act.failed?.(tx, args, error, at, after),
    );
    throw error;
  }
  await end(db, intent, { state: 'done', result, at: now() }, (tx, at, after) => act.finish(tx, args, result, at, after));
}

interface Ending {
  readonly state: 'done' | 'failed';
  readonly result: unknown;
  readonly at: number;
}

/** Closes an open intent and stores its consequences, in one transaction; a closed one stays as it is. */
async function end(
  db: Db,
  intent: Intent,
  { state, result, at }: Ending,
  apply: (tx: Tx, now: number, after: After) => Promise<void> | undefined,
): Promise<void> {
  const { id } = intent;
  await committed(db, async (tx, after) => {
    const closed =
      id === undefined || (await close(tx, { id, state, ended: at, result: JSON.stringify(result ?? null) })).numAffectedRows! > 0n;
    if (closed) await apply(tx, at, after);
  });
}

/** Runs one transaction, which may share its commit, and then the changes of memory that it asked for. */
async function committed<T>(db: Db, work: (tx: Tx, after: After) => Promise<T>): Promise<T> {
  const changes: (() => void)[] = [];
  const done = await commitTogether(db, (tx) => work(tx, (change) => void changes.push(change)));
  for (const change of changes) change();
  return done;
}

// A literal: SQLite uses the partial index only for these very words.
const openRows = (db: Db | Tx) => db.selectFrom('intent').selectAll().where('state', '=', sql.lit('open')).orderBy('id');
const allOpen = statement((db) => openRows(db).compile());
const openOf = statement((db, { kind }: { kind: string }) => openRows(db).where('kind', '=', kind).compile());

/** Intents that are open, the oldest first: of all kinds, or of one. */
export async function openIntents(db: Db | Tx, kind?: string): Promise<Intent[]> {
  const { rows } = await (kind === undefined ? allOpen(db, {}) : openOf(db, { kind }));
  return rows.map((row) => ({ id: row.id, kind: row.kind, key: row.key, args: JSON.parse(row.args) as unknown, at: row.at }));
}

/** The number of intents with that key that failed. */
export async function timesFailed(db: Db | Tx, key: string): Promise<number> {
  const row = await db
    .selectFrom('intent')
    .select((e) => e.fn.countAll<number>().as('n'))
    .where('key', '=', key)
    .where('state', '=', 'failed')
    .executeTakeFirstOrThrow();
  return Number(row.n);
}

/**
 * Closes the open intents in a copy of a repository: the original goes on with them. Landings are finished, because their refs were copied
 * too.
 */
export async function forsakeIntents(tx: Tx, now: number): Promise<void> {
  await tx
    .updateTable('intent')
    .set({ state: 'failed', ended: now })
    .where('state', '=', 'open')
    .where('kind', 'not like', 'landing.%')
    .execute();
}

export async function isOpen(db: Db, { id }: Intent): Promise<boolean> {
  if (id === undefined) return false;
  const row = await db.selectFrom('intent').select('state').where('id', '=', id).executeTakeFirst();
  return row?.state === 'open';
}

/** Deletes up to `most` intents that ended before a time. Answers how many it deleted. */
export async function pruneIntents(db: Db, before: number, most: number): Promise<number> {
  const old = db.selectFrom('intent').select('id').where('state', '!=', 'open').where('ended', '<', before).orderBy('id').limit(most);
  return Number((await db.deleteFrom('intent').where('id', 'in', old).executeTakeFirst()).numDeletedRows);
}

const newest = statement((db, { kind, limit }: { kind: string; limit: number }) =>
  db.selectFrom('intent').selectAll().where('kind', '=', kind).orderBy('id', 'desc').limit(limit).compile(),
);

/** The newest intents of a kind, the newest first, with how each ended. */
export async function newestIntents(db: Db, kind: string, limit: number): Promise<Selectable<IntentRow>[]> {
  return (await newest(db, { kind, limit })).rows;
}
