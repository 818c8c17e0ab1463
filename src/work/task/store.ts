import type { Insertable, Selectable, Updateable } from 'kysely';
import { isAmong } from '../../journal/elements.ts';
import { append } from '../../journal/event.ts';
import type { TaskRow } from '../../journal/rows/task.ts';
import { change, statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { FurrowError } from '../../platform/error.ts';
import type { Rework } from './rework.ts';
import { step, type TaskEvent } from './state.ts';
import type { Taken } from './taken-over.ts';

export type Task = Selectable<TaskRow>;

/** The changes that the daemon still has to write into a task file; merged with those already waiting. */
export interface Want {
  readonly status?: string;
  readonly claimedBy?: string;
  /** Removes a person's claim that furrow wrote for them. */
  readonly release?: boolean;
  readonly blocked?: string | null;
  readonly notes: readonly string[];
}

export async function readTask(db: Db | Tx, ref: string): Promise<Task> {
  const row = await findTaskRow(db, ref);
  if (!row) throw new FurrowError('NO_TASK', `there is no task ${ref}`, { hint: 'furrow list' });
  return row;
}

const byRef = statement((db, { ref }: { ref: string }) => db.selectFrom('task').selectAll().where('ref', '=', ref).compile());

/** The task with that ref; `undefined` for a branch that was submitted without a task, or a task that was removed. */
export async function findTaskRow(db: Db | Tx, ref: string): Promise<Task | undefined> {
  return (await byRef(db, { ref })).rows[0];
}

/** Every task, in the order in which they came to the board. */
export async function allTasks(db: Db | Tx): Promise<Task[]> {
  return db.selectFrom('task').selectAll().orderBy('seq').orderBy('ref').execute();
}

/** The own checks of all tasks that may still be judged by them. */
export async function taskChecks(db: Db | Tx): Promise<string[]> {
  return (await ownChecks(db, {})).rows.map(({ check }) => check!);
}

const ownChecks = statement((db) =>
  db
    .selectFrom('task')
    .select('check')
    .distinct()
    .where('check', 'is not', null)
    .where('standing', '!=', 'landed')
    .orderBy('check')
    .compile(),
);

/** Refs of the tasks that are still to be done. */
export async function unfinishedRefs(db: Db | Tx): Promise<string[]> {
  const rows = await db
    .selectFrom('task')
    .select('ref')
    .where('standing', '!=', 'landed')
    .where('status', '!=', 'archived')
    .orderBy('ref')
    .execute();
  return rows.map(({ ref }) => ref);
}

const byRefs = statement((db, { list }: { list: string }) =>
  db
    .selectFrom('task')
    .selectAll()
    .where(isAmong(db, 'ref', list))
    .orderBy('ref')
    .compile(),
);

/** The tasks with these refs; there may be fewer. */
export async function tasksOf(db: Db | Tx, refs: readonly string[]): Promise<Task[]> {
  return refs.length === 1 ? (await byRef(db, { ref: refs[0]! })).rows : (await byRefs(db, { list: JSON.stringify(refs) })).rows;
}

/** Tasks whose file must still be written. */
export async function wantingTasks(db: Db | Tx): Promise<Task[]> {
  return db.selectFrom('task').selectAll().where('want', 'is not', null).orderBy('ref').execute();
}

/** Tasks that a person took over. */
export async function takenTasks(db: Db | Tx): Promise<Task[]> {
  return db.selectFrom('task').selectAll().where('taken', 'is not', null).orderBy('ref').execute();
}

/** Columns that are no part of its standing. Rework and `taken` have verbs of their own. */
type Facts = Omit<Updateable<TaskRow>, 'ref' | 'standing' | 'attempt' | 'rework' | 'want'>;

/** The content of its file, and the changes still to be written into it. */
export type FileFacts = Omit<Facts, 'taken'> & { readonly want?: string | null };

/** Events after which the file counts as it is now, even an older version: somebody starts with it, or decided so. */
const TAKES_FILE: ReadonlySet<TaskEvent['on']> = new Set(['claimed', 'handSubmitted', 'retried', 'reopened']);

/**
 * Moves a task by one event. `false`: the event is late, or speaks for an attempt that was replaced. Then nothing changes, and the log says
 * so.
 */
export async function advance(
  tx: Tx,
  ref: string,
  event: TaskEvent,
  now: number,
  { tell, rework, ...set }: Facts & { readonly rework?: Rework | null; readonly tell?: Partial<Want> } = {},
): Promise<boolean> {
  const row = await findTaskRow(tx, ref);
  // A branch that a person submitted without a task has an entry, but no row here.
  if (!row) return false;
  // An attempt needs a file to work from.
  const next = event.on === 'claimed' && row.missing !== null ? undefined : step({ standing: row.standing, attempt: row.attempt }, event);
  if (!next) {
    const token = 'token' in event ? (event.token ?? null) : null;
    await append(
      tx,
      { kind: 'task.stale', task: ref, attempt: token, text: `${event.on} came too late for ${ref} and changed nothing` },
      now,
    );
    return false;
  }
  // An errand has no file to write into.
  const want = tell && row.purpose === 'work' ? JSON.stringify(merge(row.want, tell)) : row.want;
  const columns = {
    ...set,
    ...(rework !== undefined && { rework: rework && JSON.stringify(rework) }),
    standing: next.standing,
    attempt: next.attempt,
    want,
    ...(TAKES_FILE.has(event.on) && { newest: row.updated }),
  };
  await changeTask(tx, columns, { ref });
  return true;
}

const changeTask = change((db, columns: Updateable<TaskRow>, { ref }: { ref: string }) =>
  db.updateTable('task').set(columns).where('ref', '=', ref).compile(),
);

function merge(waiting: string | null, more: Partial<Want>): Want {
  const before = waiting ? (JSON.parse(waiting) as Want) : { notes: [] };
  return { ...before, ...more, notes: [...before.notes, ...(more.notes ?? [])] };
}

/** Adds tasks that are new on the board, after all others. */
export async function addTasks(tx: Tx, rows: readonly Omit<Insertable<TaskRow>, 'seq'>[]): Promise<void> {
  const last = await tx
    .selectFrom('task')
    .select((e) => e.fn.max('seq').as('seq'))
    .executeTakeFirst();
  const from = Number(last?.seq ?? 0) + 1;
  await tx
    .insertInto('task')
    .values(rows.map((row, n) => ({ ...row, seq: from + n })))
    .execute();
}

/** Removes a task that nobody has worked on, or that has been off the board for long. */
export async function removeTask(tx: Tx, ref: string): Promise<void> {
  await tx.deleteFrom('task').where('ref', '=', ref).execute();
}

/** Stores the content of its file, or what was written into it. */
export async function noteFile(tx: Tx, ref: string, file: FileFacts): Promise<void> {
  await changeTask(tx, file, { ref });
}

/** Stores who took a task over; null: nobody has it any more. */
export async function noteTaken(db: Db | Tx, ref: string, taken: Taken | null): Promise<void> {
  await changeTask(db, { taken: taken && JSON.stringify(taken) }, { ref });
}

/** Changes the report for the next attempt, without a change of the standing. */
export async function noteRework(tx: Tx, ref: string, rework: Rework): Promise<void> {
  await changeTask(tx, { rework: JSON.stringify(rework) }, { ref });
}

/** Tasks with a report for the next attempt. */
export async function reworkedTasks(db: Db | Tx): Promise<Pick<Task, 'ref' | 'rework'>[]> {
  return db.selectFrom('task').select(['ref', 'rework']).where('rework', 'is not', null).orderBy('ref').execute();
}

/** Tasks without a file since before a time that have not landed and are not being worked on. */
export async function missingSince(db: Db, before: number): Promise<Pick<Task, 'ref' | 'id'>[]> {
  return db
    .selectFrom('task')
    .select(['ref', 'id'])
    .where('missing', '<', before)
    .where('standing', 'in', ['open', 'parked'])
    .orderBy('ref')
    .execute();
}

/** The task with that id in a phase of the present board: a task that was moved keeps its ref. */
export async function taskIn(db: Db, phase: string, id: string): Promise<Task | undefined> {
  return db.selectFrom('task').selectAll().where('phase', '=', phase).where('id', '=', id).executeTakeFirst();
}

/** The tasks with that id in all phases. */
export async function tasksNamed(db: Db, id: string): Promise<Task[]> {
  return db.selectFrom('task').selectAll().where('id', '=', id).orderBy('ref').execute();
}

/** True when a phase has a task that has not landed. */
export async function hasTasks(db: Db, phase: string): Promise<boolean> {
  const open = db.selectFrom('task').select('ref').where('phase', '=', phase).where('standing', '!=', 'landed');
  return (await open.executeTakeFirst()) !== undefined;
}
