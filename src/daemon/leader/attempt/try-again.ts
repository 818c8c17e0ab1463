import { append } from '../../../journal/event.ts';
import type { Tx } from '../../../journal/store.ts';
import { closeQuestions, closeTaskQuestions } from '../../../work/question/store.ts';
import { type Rework, reworkOf } from '../../../work/task/rework.ts';
import { advance, type Task, type Want } from '../../../work/task/store.ts';

/** The state of a task that a person restarts: nothing counts against it, and nothing on the board holds it. */
export const ANEW = { failures: 0, crashes: 0, not_before: 0, blocked: 0, block_reason: null, tell: { status: 'todo', blocked: null } };

interface Again {
  readonly tell?: Partial<Want>;
  /** A person's words for the next attempt. */
  readonly words?: string;
}

/** A person wants a task done (again), even a landed one. Without a hash its file is read again first. */
export async function tryAgain(tx: Tx, task: Task, now: number, { tell = ANEW.tell, words = '' }: Again = {}): Promise<void> {
  const landed = task.standing === 'landed';
  const rework = words === '' ? (landed ? { rework: null } : {}) : { rework: withWords(landed ? null : reworkOf(task), words) };
  const change = { ...ANEW, tell, ...(landed && { commit: null, unchanged: null, hash: '' }), ...rework };
  await advance(tx, task.ref, { on: landed ? 'reopened' : 'retried' }, now, change);
  await closeTaskQuestions(tx, task.ref, 'retried', now);
  await closeQuestions(tx, 'reopen', task.ref, 'retried', now);
  const was = landed ? `, although it landed${task.commit ? ` as ${task.commit.slice(0, 8)}` : ''}` : '';
  await append(tx, { kind: 'task.retried', task: task.ref, text: `${task.id} is tried again${was}` }, now);
}

/** The work that the last attempt left, with the words of the person behind it. */
function withWords(before: Rework | null, words: string): Rework {
  if (!before) return { why: 'retried', report: words, from: null };
  return { ...before, report: `${before.report}\n\nSaid with the new attempt: ${words}` };
}
