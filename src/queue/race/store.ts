import type { Selectable, Updateable } from 'kysely';
import { append } from '../../journal/event.ts';
import { keptRows } from '../../journal/kept-rows.ts';
import type { EntrantRow, RaceOutcome, RaceRow } from '../../journal/rows/race.ts';
import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { type EntrantEvent, type RaceEvent, stepEntrant, stepRace } from './state.ts';

export type Race = Selectable<RaceRow>;
export type Entrant = Selectable<EntrantRow>;

/** A race before it has a row. */
interface NewRace {
  readonly task: string;
  readonly token: number;
  readonly first: boolean;
  readonly deadline: number | null;
}

/** Stores a race without entrants, and answers its id. */
export async function addRace(tx: Tx, { first, ...race }: NewRace, now: number): Promise<number> {
  const open = { state: 'racing', judge: null, picked: null, winner: null, outcome: null, why: null, at: now, ended: null } as const;
  const { id } = await tx
    .insertInto('race')
    .values({ ...race, ...open, first: first ? 1 : 0 })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Adds an entrant whose errand has just begun. */
export async function addEntrant(tx: Tx, entrant: Pick<Entrant, 'race' | 'n' | 'ref' | 'kind'>, now: number): Promise<void> {
  const open = { agent: null, sha: null, tree: null, commit: null, lines: null, reason: null, at: now, ended: null };
  await tx
    .insertInto('entrant')
    .values({ ...entrant, ...open, state: 'running' })
    .execute();
}

type RaceChange = Pick<Updateable<RaceRow>, 'judge' | 'picked' | 'winner' | 'why'>;

/** Moves a race by one event. `false` means that the event does not apply; then nothing changes. */
export async function advanceRace(tx: Tx, id: number, event: RaceEvent, now: number, also: RaceChange = {}): Promise<boolean> {
  const row = await tx.selectFrom('race').select(['state', 'outcome']).where('id', '=', id).executeTakeFirst();
  const next = row && stepRace(row, event);
  if (!next) return false;
  const ended = next.state === 'ended' ? { ended: now } : {};
  await tx
    .updateTable('race')
    .set({ ...also, ...next, ...ended })
    .where('id', '=', id)
    .execute();
  return true;
}

type EntrantChange = Pick<Updateable<EntrantRow>, 'agent' | 'sha' | 'tree' | 'commit' | 'lines' | 'reason'>;

/** Moves an entrant by one event, and adds an event to the log. `false`: the event does not apply, and nothing changes. */
export async function advanceEntrant(
  tx: Tx,
  { race, n, task }: { readonly race: number; readonly n: number; readonly task: string },
  event: EntrantEvent,
  now: number,
  { text, ...also }: EntrantChange & { /** Left out: nothing is told. */ readonly text?: string } = {},
): Promise<boolean> {
  const row = await tx.selectFrom('entrant').selectAll().where('race', '=', race).where('n', '=', n).executeTakeFirst();
  const next = row && stepEntrant(row.state, event);
  if (!next) return false;
  const ended = row.ended === null && next !== 'running' && next !== 'finished' ? { ended: now } : {};
  await tx
    .updateTable('entrant')
    .set({ ...also, ...ended, state: next })
    .where('race', '=', race)
    .where('n', '=', n)
    .execute();
  const agent = also.agent ?? row.agent;
  if (text !== undefined) await append(tx, { kind: 'race.entrant', task, agent, text, data: { race, entrant: n, state: next } }, now);
  return true;
}

const open = keptRows<Race>('race');

/** Races that have not ended, the oldest first. */
export async function openRaces(db: Db | Tx): Promise<Race[]> {
  return open(db, () => db.selectFrom('race').selectAll().where('state', '!=', 'ended').orderBy('id').execute());
}

export async function findRace(db: Db | Tx, id: number): Promise<Race | undefined> {
  return db.selectFrom('race').selectAll().where('id', '=', id).executeTakeFirst();
}

/** The newest race of a task, also one that has ended. */
export async function lastRaceOf(db: Db | Tx, task: string): Promise<Race | undefined> {
  return db.selectFrom('race').selectAll().where('task', '=', task).orderBy('id', 'desc').executeTakeFirst();
}

const ofRace = statement((db, { race }: { race: number }) =>
  db.selectFrom('entrant').selectAll().where('race', '=', race).orderBy('n').compile(),
);

/** The entrants of a race, in their order. */
export async function entrantsOf(db: Db | Tx, race: number): Promise<Entrant[]> {
  return (await ofRace(db, { race })).rows;
}

/** Adds the event about the end of a race, in the transaction that ends it. */
export const tellEnd = (tx: Tx, race: Pick<Race, 'id' | 'task' | 'token'>, outcome: RaceOutcome, text: string, more: object, now: number) =>
  append(tx, { kind: 'race.ended', task: race.task, attempt: race.token, text, data: { race: race.id, outcome, ...more } }, now);
