import { keptRows } from '../../journal/kept-rows.ts';
import { statement } from '../../journal/statement.ts';
import type { Db, Tx } from '../../journal/store.ts';
import { drawProposal } from './draw.ts';
import type { ProposedTask } from './proposal.ts';

/** Stored with the question: the tasks that a yes puts on the board, or the faults of the answer. */
export interface SplitData {
  readonly tasks: readonly ProposedTask[];
  readonly graph: readonly string[];
  readonly problems: readonly string[];
}

export const splitData = (tasks: readonly ProposedTask[], problems: readonly string[] = []): SplitData => ({
  tasks,
  graph: drawProposal(tasks),
  problems,
});

interface UnreadSplit {
  readonly ref: string;
  readonly about: string | null;
  readonly result: string;
}

const unread = keptRows<UnreadSplit>('errand', 'task', 'question');

const answered = keptRows<{ ref: string }>('errand');
const anyAnswer = statement((db) =>
  db
    .selectFrom('errand')
    .innerJoin('task', 'task.ref', 'errand.ref')
    .select('errand.ref')
    .where('task.purpose', '=', 'split')
    .where('errand.result', 'is not', null)
    .orderBy('errand.ref')
    .limit(1)
    .compile(),
);

/** Agents' answers that nobody has read yet: each becomes a question, or goes back once. */
export async function unreadSplits(db: Db | Tx): Promise<UnreadSplit[]> {
  // Most farms never split anything: then this is asked once, and not after every change of a task. What an errand is for never changes.
  if ((await answered(db, async () => (await anyAnswer(db, {})).rows)).length === 0) return [];
  const asked = db.selectFrom('question').select('subject').where('kind', '=', 'split');
  return unread(db, () =>
    db
      .selectFrom('errand')
      .innerJoin('task', 'task.ref', 'errand.ref')
      .select(['errand.ref', 'errand.about', 'errand.result'])
      .where('task.purpose', '=', 'split')
      .where('task.standing', '=', 'landed')
      .where('errand.result', 'is not', null)
      .where('errand.ref', 'not in', asked)
      .orderBy('task.seq')
      .$narrowType<{ result: string }>()
      .execute(),
  );
}

/** The question about a split, open or closed; `undefined` before its answer was read. */
export async function questionAbout(
  db: Db | Tx,
  ref: string,
): Promise<{ id: number; closed: number | null; answer: string | null; data: string | null } | undefined> {
  return db
    .selectFrom('question')
    .select(['id', 'closed', 'answer', 'data'])
    .where('kind', '=', 'split')
    .where('subject', '=', ref)
    .orderBy('id', 'desc')
    .executeTakeFirst();
}
