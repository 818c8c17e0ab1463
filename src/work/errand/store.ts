import type { Selectable } from 'kysely';
import { append } from '../../journal/event.ts';
import type { ErrandRow } from '../../journal/schema.ts';
import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { openAttemptAt } from '../attempt/read.ts';
import { noteWord } from '../attempt/store.ts';
import { closeTaskQuestions } from '../question/store.ts';
import { refOf } from '../task/id.ts';
import { addTasks, advance, findTaskRow, removeTask, type Task } from '../task/store.ts';
import type { ErrandPurpose } from './purpose.ts';

/** An errand, with the fields of its task that tell its progress. */
type Errand = Selectable<ErrandRow> & Pick<Task, 'phase' | 'id' | 'title' | 'standing' | 'attempt' | 'agent'> & { purpose: ErrandPurpose };

export interface NewErrand {
  readonly purpose: ErrandPurpose;
  /** The ref of the task that it is about. */
  readonly about: string | null;
  readonly phase: string;
  /** The kind of agent that gets it; null: the kind of the phase or of the farm. */
  readonly kind: string | null;
  /** The model and the effort that it is told; absent: as its kind says. */
  readonly model?: string | null;
  readonly effort?: string | null;
  readonly title: string;
  /** Null: the text of the task that it is about. */
  readonly brief: string | null;
  /** The commit to start from; null: the head. */
  readonly base: string | null;
  /** The agent that gets it only when no other is free. */
  readonly notBy: string | null;
}

/** Stores an errand and answers its ref. The next free agent of its phase gets it before any task of the board. */
export async function beginErrand(tx: Tx, errand: NewErrand, now: number): Promise<string> {
  const id = await freeId(tx, errand);
  const ref = refOf(errand.phase, id);
  await addTasks(tx, [
    {
      ref,
      id,
      phase: errand.phase,
      title: errand.title,
      agent: errand.kind,
      model: errand.model ?? null,
      effort: errand.effort ?? null,
      purpose: errand.purpose,
      not_by: errand.notBy,
      created: now,
      ...LIKE_A_TASK,
    },
  ]);
  const { about, brief, base } = errand;
  await tx.insertInto('errand').values({ ref, about, brief, base, result: null }).execute();
  await append(
    tx,
    { kind: 'errand.begun', task: ref, text: `${id} is to be done: ${errand.title}`, data: { about, purpose: errand.purpose } },
    now,
  );
  return ref;
}

/** Values for the fields of a task that an errand does not use. */
const LIKE_A_TASK = {
  file: '',
  hash: '',
  status: 'todo',
  priority: 'medium',
  class: 'standard',
  due: null,
  depends_on: '[]',
  tags: '[]',
  paths: '[]',
  check: null,
  blocked: 0,
  block_reason: null,
  standing: 'open',
  attempt: 0,
  failures: 0,
  crashes: 0,
  not_before: 0,
  rework: null,
  want: null,
  commit: null,
} as const;

/** `review-7-1`: the number is the next one that no task of any phase has, so that the id alone says which is meant. */
async function freeId(tx: Tx, { purpose, about }: NewErrand): Promise<string> {
  const name = about === null ? purpose : `${purpose}-${about.slice(about.indexOf('/') + 1)}`.slice(0, LONGEST_NAME);
  for (let n = 1; ; n++) {
    const id = `${name}-${n}`;
    if (!(await tx.selectFrom('task').select('ref').where('id', '=', id).executeTakeFirst())) return id;
  }
}

/** An id has at most 64 characters, of which the number at its end takes a few. */
const LONGEST_NAME = 58;

const errands = (db: Db | Tx) =>
  db
    .selectFrom('errand')
    .innerJoin('task', 'task.ref', 'errand.ref')
    .selectAll('errand')
    .select(['task.phase', 'task.id', 'task.title', 'task.standing', 'task.attempt', 'task.agent', 'task.purpose'])
    .$narrowType<{ purpose: ErrandPurpose }>();

const byRef = statement((db, { ref }: { ref: string }) => errands(db).where('errand.ref', '=', ref).compile());

/** The errand of a task row; `undefined` for a task of the board. */
export async function errandOf(db: Db | Tx, ref: string): Promise<Errand | undefined> {
  return (await byRef(db, { ref })).rows[0];
}

/** All errands about a task, the first one first. */
export async function errandsAbout(db: Db | Tx, about: string): Promise<Errand[]> {
  return errands(db).where('errand.about', '=', about).orderBy('task.seq').execute();
}

/** Stores an agent's answer. */
export async function noteResult(tx: Tx, ref: string, result: string): Promise<void> {
  await tx.updateTable('errand').set({ result }).where('ref', '=', ref).execute();
}

/**
 * Ends an errand that is no longer wanted. If an agent works on it, the agent is stopped, and its work is kept. `awake` is the time by
 * which attempts are judged.
 */
export async function endErrand(tx: Tx, ref: string, reason: string, { now, awake }: { now: number; awake: number }): Promise<void> {
  const task = await findTaskRow(tx, ref);
  if (!task || task.standing === 'landed') return;
  const attempt = await openAttemptAt(tx, ref);
  if (attempt) return noteWord(tx, attempt.id, { givenUp: reason }, awake);
  if (!(await advance(tx, ref, { on: 'unchanged' }, now, { unchanged: reason, status: 'done' }))) return;
  await closeTaskQuestions(tx, ref, reason, now);
  await append(tx, { kind: 'errand.ended', task: ref, text: `${task.id} is not wanted any more: ${reason}` }, now);
}

/** Deletes up to `most` errands that are over and began before a time. Answers how many. */
export async function pruneErrands(db: Db, before: number, most: number): Promise<number> {
  const old = await db
    .selectFrom('task')
    .select('ref')
    .where('purpose', '!=', 'work')
    .where('standing', '=', 'landed')
    .where('created', '<', before)
    .orderBy('seq')
    .limit(most)
    .execute();
  if (old.length === 0) return 0;
  const refs = old.map(({ ref }) => ref);
  await db.transaction().execute(async (tx) => {
    await tx.deleteFrom('errand').where('ref', 'in', refs).execute();
    for (const ref of refs) await removeTask(tx, ref);
  });
  return refs.length;
}
