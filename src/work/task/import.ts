import { isAmong } from '../../journal/elements.ts';
import { append } from '../../journal/event.ts';
import { statement } from '../../journal/statement.ts';
import type { Tx } from '../../journal/store.ts';
import { landedOrQueued, lastSubmitted } from '../entry/read.ts';
import { closeQuestions, closeTaskQuestions, raiseQuestion } from '../question/store.ts';
import { columns, follow, wasWorkedOn } from './file-change.ts';
import { noteNumbers } from './highest-number.ts';
import type { Matched } from './match-files.ts';
import type { ScannedTask } from './scan.ts';
import { addTasks, advance, noteFile, removeTask, type Task, tasksOf } from './store.ts';

/**
 * The changes of the store that follow from a look at the board; none for an unchanged board. Furrow is just writing the files in `own`;
 * the code that writes them also updates the store.
 */
export function changesIn(
  { known, added, gone }: Matched,
  own: ReadonlySet<string> = new Set(),
): Pick<Matched, 'known' | 'added' | 'gone'> | undefined {
  // Only at its place: if a file was moved after furrow wrote it, a person moved it.
  const isOwn = (row: Task, file: ScannedTask) => own.has(file.hash) && row.file === file.file;
  const changed = known.filter(({ row, file }) => isChanged(row, file) && !isOwn(row, file));
  return changed.length + added.length + gone.length === 0 ? undefined : { known: changed, added, gone };
}

const isChanged = (row: Task, file: ScannedTask) => row.hash !== file.hash || row.file !== file.file || row.missing !== null;

/** Takes over the board's content. The rows were read before the transaction, so each is read again. */
export async function importBoard(tx: Tx, { known, added, gone }: Pick<Matched, 'known' | 'added' | 'gone'>, now: number): Promise<void> {
  const refs = [...known.map(({ row }) => row.ref), ...gone.map((row) => row.ref)];
  const rows = new Map((await tasksOf(tx, refs)).map((row) => [row.ref, row]));
  for (const { row, file } of known) {
    const fresh = rows.get(row.ref);
    if (fresh && isChanged(fresh, file)) await takeOver(tx, fresh, file, now);
  }
  await insertAll(tx, added, now);
  for (const { ref } of gone) {
    const fresh = rows.get(ref);
    if (fresh) await lose(tx, fresh, now);
  }
}

async function takeOver(tx: Tx, row: Task, file: ScannedTask, now: number): Promise<void> {
  const { set, on, settle: settled } = follow(row, file);
  await noteFile(tx, row.ref, set);
  // Without a hash, furrow itself asked to read the file again.
  const told = row.hash !== '' || row.missing !== null || row.status !== file.status;
  if (told) await append(tx, { kind: row.missing === null ? 'task.edited' : 'task.returned', task: row.ref, text: said(row, file) }, now);
  if (settled) await closeTaskQuestions(tx, row.ref, settled, now);
  const fresh = { failures: 0, crashes: 0, not_before: 0 };
  const asks = row.missing !== null && !on && (set.blocked ?? 0) === 1 && (row.standing === 'parked' || row.standing === 'open');
  if (asks)
    await raiseQuestion(
      tx,
      { kind: row.standing === 'parked' ? 'parked' : 'blocked', subject: row.ref, reason: set.block_reason ?? 'blocked' },
      now,
    );
  if (on) await advance(tx, row.ref, { on: 'retried' }, now, on === 'anew' ? { ...fresh, rework: null } : fresh);
}

function said(row: Task, file: ScannedTask): string {
  const what =
    row.missing !== null
      ? 'is on the board again'
      : row.phase === file.phase
        ? 'was edited'
        : `was moved from ${row.phase} to ${file.phase}`;
  return `${row.id} ${what}${row.status === file.status ? '' : `: ${row.status} → ${file.status}`}`;
}

/** Forgets a task that nobody has worked on when its file is gone. Any other task stays: a stash or a switch may bring the file back. */
async function lose(tx: Tx, row: Task, now: number): Promise<void> {
  if (wasWorkedOn(row)) {
    await noteFile(tx, row.ref, { missing: now });
    // Its questions are closed, whether the file comes back or not: meanwhile nobody can answer them.
    if (row.standing === 'open' || row.standing === 'parked') await closeTaskQuestions(tx, row.ref, 'taken off the board', now);
    await append(tx, { kind: 'task.missing', task: row.ref, text: `${row.id} has no file on the board any more (${row.file})` }, now);
  } else await forget(tx, row, 'taken off the board', now);
}

/** Removes a task from the store. */
export async function forget(tx: Tx, row: Pick<Task, 'ref' | 'id'>, why: string, now: number): Promise<void> {
  await removeTask(tx, row.ref);
  await closeTaskQuestions(tx, row.ref, why, now);
  await closeQuestions(tx, 'reopen', row.ref, why, now);
  await append(tx, { kind: 'task.removed', task: row.ref, text: `${row.id} was ${why}` }, now);
}

/** Rows for one statement: 10,000 single inserts took 4 s, of which SQLite needed a tenth. */
const CHUNK = 250;
const TOLD_ONE_BY_ONE = 20;

async function insertAll(tx: Tx, tasks: readonly ScannedTask[], now: number): Promise<void> {
  if (tasks.length === 0) return;
  // Tokens only grow, even for a task that was off the board for a while.
  const refs = tasks.map((task) => task.ref);
  const before = await lastAttempts(tx, refs);
  // A rebuilt store never saw a file that was away at that moment. A task that has landed or is in the queue does not run again.
  const standings = await landedOrQueued(tx, refs);
  const fresh = { failures: 0, crashes: 0, not_before: 0, rework: null, want: null, commit: null };
  for (let at = 0; at < tasks.length; at += CHUNK) {
    const rows = tasks.slice(at, at + CHUNK).map((task) => ({
      ref: task.ref,
      ...columns(task),
      ...fresh,
      standing: standings.get(task.ref) ?? ('open' as const),
      newest: task.updated,
      attempt: before.get(task.ref) ?? 0,
    }));
    await addTasks(tx, rows);
  }
  await noteNumbers(
    tx,
    tasks.map((task) => task.id),
  );
  if (tasks.length > TOLD_ONE_BY_ONE) {
    await append(tx, { kind: 'board.imported', text: `${tasks.length} tasks are on the board`, data: { tasks: tasks.length } }, now);
  } else {
    for (const task of tasks)
      await append(tx, { kind: 'task.added', task: task.ref, text: `${task.id} is on the board: ${task.title}` }, now);
  }
}

const tried = statement((db, { list }: { list: string }) =>
  db
    .selectFrom('attempt')
    .select(['task', (e) => e.fn.max('n').as('n')])
    .where(isAmong(db, 'task', list))
    .groupBy('task')
    .orderBy('task')
    .compile(),
);

async function lastAttempts(tx: Tx, refs: readonly string[]): Promise<Map<string, number>> {
  const last = await lastSubmitted(tx, refs);
  const { rows } = await tried(tx, { list: JSON.stringify(refs) });
  for (const { task, n } of rows) last.set(task, Math.max(last.get(task) ?? 0, Number(n)));
  return last;
}
