import type { Selectable, Updateable } from 'kysely';
import { append } from '../journal/event.ts';
import { settleTask } from '../journal/question.ts';
import type { TaskRow } from '../journal/schema.ts';
import type { Db, Tx } from '../journal/store.ts';
import { FurrowError } from '../platform/error.ts';
import { isSatisfied } from './derive.ts';
import type { ScannedTask } from './scan.ts';
import { step, type TaskEvent } from './state.ts';

export type Task = Selectable<TaskRow>;

/** What the daemon means to write into a task file; merged with what is already waiting to be written. */
export interface Want {
  readonly status?: string;
  readonly claimedBy?: string;
  readonly blocked?: string | null;
  readonly notes: readonly string[];
}

export async function readTask(db: Db | Tx, ref: string): Promise<Task> {
  const row = await db.selectFrom('task').selectAll().where('ref', '=', ref).executeTakeFirst();
  if (!row) throw new FurrowError('NO_TASK', `there is no task ${ref}`, { hint: 'furrow list' });
  return row;
}

/**
 * Moves a task by one event. `false` means that the event does not apply: it is late, or speaks for an attempt that
 * was replaced. Then nothing changes, and the log says so.
 */
export async function advance(
  tx: Tx,
  ref: string,
  event: TaskEvent,
  now: number,
  also: Updateable<TaskRow> & { tell?: Partial<Want> } = {},
): Promise<boolean> {
  const { tell, ...set } = also;
  const row = await tx.selectFrom('task').selectAll().where('ref', '=', ref).executeTakeFirst();
  // A branch that a person submitted without a task has an entry, and no row here.
  if (!row) return false;
  const next = step({ standing: row.standing, attempt: row.attempt }, event);
  if (!next) {
    const token = 'token' in event ? event.token : null;
    await append(
      tx,
      { kind: 'task.stale', task: ref, attempt: token, text: `${event.on} came too late for ${ref} and changed nothing` },
      now,
    );
    return false;
  }
  const want = tell ? JSON.stringify(merge(row.want, tell)) : row.want;
  await tx
    .updateTable('task')
    .set({ ...set, standing: next.standing, attempt: next.attempt, want })
    .where('ref', '=', ref)
    .execute();
  return true;
}

function merge(waiting: string | null, more: Partial<Want>): Want {
  const before = waiting ? (JSON.parse(waiting) as Want) : { notes: [] };
  return { ...before, ...more, notes: [...before.notes, ...(more.notes ?? [])] };
}

const columns = (task: ScannedTask) => ({
  phase: task.phase,
  id: task.id,
  file: task.file,
  hash: task.hash,
  title: task.title,
  status: task.status,
  priority: task.priority,
  class: task.class,
  due: task.due,
  created: task.created,
  depends_on: JSON.stringify(task.dependsOn),
  tags: JSON.stringify(task.tags),
  agent: task.agent,
  paths: JSON.stringify(task.paths),
  check: task.check,
  blocked: task.blocked ? 1 : 0,
  block_reason: task.blockReason,
});

/**
 * Takes over what the board says. The board is the human's: a changed status is their word, and what it means for a
 * task that furrow had given up on, or had landed, is decided here. Returns whether anything changed.
 */
export async function importBoard(tx: Tx, scanned: readonly ScannedTask[], broken: ReadonlySet<string>, now: number): Promise<boolean> {
  const rows = new Map((await tx.selectFrom('task').selectAll().execute()).map((row) => [row.ref, row]));
  const added: ScannedTask[] = [];
  let changed = false;
  for (const task of scanned) {
    const row = rows.get(task.ref);
    rows.delete(task.ref);
    if (row?.hash === task.hash && row.file === task.file) continue;
    changed = true;
    if (row) await update(tx, row, task, now);
    else added.push(task);
  }
  await insertAll(tx, added, now);
  for (const row of rows.values()) {
    // An attempt or an entry still speaks for it, or its file is only unreadable just now.
    if (row.standing === 'leased' || row.standing === 'submitted' || broken.has(row.ref)) continue;
    changed = true;
    await tx.deleteFrom('task').where('ref', '=', row.ref).execute();
    await settleTask(tx, row.ref, 'taken off the board', now);
    await append(tx, { kind: 'task.removed', task: row.ref, text: `${row.id} was taken off the board` }, now);
  }
  return changed;
}

/** Rows for one statement: 10,000 single inserts took 4 s, of which SQLite needed a tenth. */
const CHUNK = 250;
const TOLD_ONE_BY_ONE = 20;

async function insertAll(tx: Tx, tasks: readonly ScannedTask[], now: number): Promise<void> {
  if (tasks.length === 0) return;
  // Tokens only ever grow, also of a task that was off the board for a while.
  const before = await lastAttempts(tx);
  const fresh = { standing: 'open' as const, failures: 0, crashes: 0, not_before: 0, rework: null, want: null, commit: null };
  for (let at = 0; at < tasks.length; at += CHUNK) {
    const rows = tasks
      .slice(at, at + CHUNK)
      .map((task) => ({ ref: task.ref, ...columns(task), ...fresh, attempt: before.get(task.ref) ?? 0 }));
    await tx.insertInto('task').values(rows).execute();
  }
  if (tasks.length > TOLD_ONE_BY_ONE) {
    await append(tx, { kind: 'board.imported', text: `${tasks.length} tasks are on the board`, data: { tasks: tasks.length } }, now);
  } else {
    for (const task of tasks)
      await append(tx, { kind: 'task.added', task: task.ref, text: `${task.id} is on the board: ${task.title}` }, now);
  }
}

async function lastAttempts(tx: Tx): Promise<Map<string, number>> {
  const tried = await tx
    .selectFrom('attempt')
    .select(['task', (e) => e.fn.max('n').as('n')])
    .groupBy('task')
    .execute();
  const queued = await tx
    .selectFrom('entry')
    .select(['task', (e) => e.fn.max('attempt').as('n')])
    .groupBy('task')
    .execute();
  const last = new Map<string, number>();
  for (const { task, n } of [...tried, ...queued]) last.set(task, Math.max(last.get(task) ?? 0, Number(n)));
  return last;
}

async function update(tx: Tx, row: Task, task: ScannedTask, now: number): Promise<void> {
  await tx.updateTable('task').set(columns(task)).where('ref', '=', row.ref).execute();
  await append(
    tx,
    {
      kind: 'task.edited',
      task: row.ref,
      text: `${row.id} was edited${row.status === task.status ? '' : `: ${row.status} → ${task.status}`}`,
    },
    now,
  );
  const waits = task.status === 'backlog' || task.status === 'todo';
  const unblocked = row.blocked === 1 && !task.blocked;
  const fresh = { failures: 0, crashes: 0, not_before: 0 };
  if (unblocked) await settleTask(tx, row.ref, 'unblocked on the board', now);
  // Nobody is going to do it: there is nothing left to ask about it.
  if (row.status !== task.status && isSatisfied({ standing: row.standing, status: task.status }))
    await settleTask(tx, row.ref, `${task.status} on the board`, now);
  if (row.standing === 'parked' && !task.blocked && (unblocked || row.status !== task.status))
    await advance(tx, row.ref, { on: 'retried' }, now, fresh);
  if (row.standing === 'landed' && waits && row.status !== task.status)
    await advance(tx, row.ref, { on: 'reopened' }, now, { ...fresh, commit: null, rework: null });
}
