import { isAmong } from '../../journal/elements.ts';
import { keptRows } from '../../journal/kept-rows.ts';
import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { ended } from './state.ts';
import type { Entry } from './store.ts';

const open = keptRows<Entry>('entry');
const inQueue = statement((db) => db.selectFrom('entry').selectAll().where('ended', 'is', null).orderBy('id').compile());
const byId = statement((db, { id }: { id: number }) => db.selectFrom('entry').selectAll().where('id', '=', id).compile());

/** Entries that are in the queue, the oldest first. */
export async function openEntries(db: Db | Tx): Promise<Entry[]> {
  return open(db, async () => (await inQueue(db, {})).rows);
}

/** Every entry, the oldest first, also those that have ended. */
export async function allEntries(db: Db | Tx): Promise<Entry[]> {
  return db.selectFrom('entry').selectAll().orderBy('id').execute();
}

/** The entries that ended last, the newest first. */
export async function endedEntries(db: Db | Tx, limit: number): Promise<Entry[]> {
  return db.selectFrom('entry').selectAll().where('ended', 'is not', null).orderBy('id', 'desc').limit(limit).execute();
}

export async function findEntry(db: Db | Tx, id: number): Promise<Entry | undefined> {
  return (await byId(db, { id })).rows[0];
}

const byIds = statement((db, { list }: { list: string }) =>
  db
    .selectFrom('entry')
    .selectAll()
    .where(isAmong(db, 'id', list, 'bigint'))
    .orderBy('id')
    .compile(),
);

/** The entries with these ids, as far as they exist, the oldest first. */
export async function entriesById(db: Db | Tx, ids: readonly number[]): Promise<Entry[]> {
  return ids.length === 0 ? [] : (await byIds(db, { list: JSON.stringify(ids) })).rows;
}

const ofTask = statement((db, { task }: { task: string }) =>
  db.selectFrom('entry').selectAll().where('task', '=', task).orderBy('id').compile(),
);

/** All entries of a task or branch, the oldest first. */
export async function entriesOfTask(db: Db | Tx, task: string): Promise<Entry[]> {
  return (await ofTask(db, { task })).rows;
}

/** The task's entry in the queue; a task has at most one. */
export async function openEntryOf(db: Db | Tx, task: string): Promise<Entry | undefined> {
  return db.selectFrom('entry').selectAll().where('task', '=', task).where('ended', 'is', null).orderBy('id').executeTakeFirst();
}

/** The newest entry of a task. */
export async function lastEntryOf(db: Db | Tx, task: string): Promise<Entry | undefined> {
  return db.selectFrom('entry').selectAll().where('task', '=', task).orderBy('id', 'desc').executeTakeFirst();
}

/** Entries of one commit for one target. */
export async function entriesOfCommit(db: Db | Tx, sha: string, target: string | null): Promise<Entry[]> {
  return db.selectFrom('entry').selectAll().where('sha', '=', sha).where('target', '=', target).orderBy('id').execute();
}

/** The number of the newest attempt that was submitted of a task, or of a branch by that name; 0: none was. */
export async function timesSubmitted(db: Db | Tx, task: string): Promise<number> {
  const row = await db
    .selectFrom('entry')
    .select((e) => e.fn.max('attempt').as('last'))
    .where('task', '=', task)
    .executeTakeFirst();
  return row?.last ?? 0;
}

const highest = statement((db, { list }: { list: string }) =>
  db
    .selectFrom('entry')
    .select(['task', (e) => e.fn.max('attempt').as('n')])
    .where(isAmong(db, 'task', list))
    .groupBy('task')
    .orderBy('task')
    .compile(),
);

/** The newest attempt of each of these tasks that was submitted. */
export async function lastSubmitted(db: Db | Tx, tasks: readonly string[]): Promise<Map<string, number>> {
  const { rows } = await highest(db, { list: JSON.stringify(tasks) });
  return new Map(rows.map(({ task, n }) => [task, Number(n)]));
}

const submittedFirst = keptRows<{ task: string; at: number }>('entry');
const earliest = statement((db, { list }: { list: string }) =>
  db
    .selectFrom('entry')
    .select(['task', (e) => e.fn.min('at').as('at')])
    .where(isAmong(db, 'task', list))
    .groupBy('task')
    .orderBy('task')
    .compile(),
);

/** When each of these tasks was submitted for the first time. */
export async function firstSubmitted(db: Db | Tx, tasks: readonly string[]): Promise<Map<string, number>> {
  if (tasks.length === 0) return new Map();
  const list = JSON.stringify(tasks);
  const rows = await submittedFirst(db, async () => (await earliest(db, { list })).rows, list);
  return new Map(rows.map((row) => [row.task, Number(row.at)]));
}

const latest = statement((db, { list }: { list: string }) =>
  db
    .selectFrom('entry')
    .select(['task', (e) => e.fn.max('ended').as('at')])
    .where(isAmong(db, 'task', list))
    .where('state', '=', 'landed')
    .groupBy('task')
    .orderBy('task')
    .compile(),
);

/** When the work of each of these tasks landed last; those that never did are left out. */
export async function lastLanded(db: Db | Tx, tasks: readonly string[]): Promise<Map<string, number>> {
  if (tasks.length === 0) return new Map();
  const { rows } = await latest(db, { list: JSON.stringify(tasks) });
  return new Map(rows.map((row) => [row.task, Number(row.at)]));
}

const landed = statement((db, { list }: { list: string }) => {
  const rows = db
    .selectFrom('entry')
    .select(['task', 'sha', 'target'])
    .where(isAmong(db, 'task', list))
    .where('state', '=', 'landed');
  return rows.orderBy('id', 'desc').compile();
});

/** The commits of these tasks that landed, the newest first. */
export async function landedOf(db: Db | Tx, tasks: readonly string[]): Promise<Pick<Entry, 'task' | 'sha' | 'target'>[]> {
  return (await landed(db, { list: JSON.stringify(tasks) })).rows;
}

const states = statement((db, { list }: { list: string }) =>
  db
    .selectFrom('entry')
    .select(['task', 'state'])
    .where(isAmong(db, 'task', list))
    .orderBy('id')
    .compile(),
);

/** The newest entry of each of these tasks. */
export async function newestOf(db: Db | Tx, tasks: readonly string[]): Promise<Map<string, Pick<Entry, 'task' | 'state'>>> {
  if (tasks.length === 0) return new Map();
  const { rows } = await states(db, { list: JSON.stringify(tasks) });
  return new Map(rows.map((row) => [row.task, row]));
}

/** Those of these tasks whose newest entry has landed, or is in the queue. */
export async function landedOrQueued(db: Db | Tx, tasks: readonly string[]): Promise<Map<string, 'landed' | 'submitted'>> {
  const standings = [...(await newestOf(db, tasks))].filter(([, { state }]) => state === 'landed' || !ended(state));
  return new Map(standings.map(([task, { state }]) => [task, state === 'landed' ? 'landed' : 'submitted']));
}

const ends = statement((db) =>
  db
    .selectFrom('entry')
    .select(['state', (e) => e.fn.countAll<number>().as('n')])
    .where('state', 'in', ['landed', 'rejected'])
    .groupBy('state')
    .orderBy('state')
    .compile(),
);

/** The numbers of landed and of rejected entries. */
export async function countEnds(db: Db | Tx): Promise<{ landed: number; rejected: number }> {
  const { rows } = await ends(db, {});
  const count = (state: Entry['state']) => rows.find((row) => row.state === state)?.n ?? 0;
  return { landed: count('landed'), rejected: count('rejected') };
}
