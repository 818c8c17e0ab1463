import { sql } from 'kysely';
import { statement } from '../../journal/statement.ts';
import type { Db } from '../../journal/store.ts';
import { asStored, closeQuestions, type NewQuestion, openQuestions, raiseQuestion } from '../question/store.ts';
import { isTurnedBack } from './file-change.ts';
import { compareIds } from './id.ts';
import type { Task, Want } from './store.ts';

/** A landed task whose file says that it is not done. */
type Doubtful = Pick<Task, 'ref' | 'id' | 'status' | 'commit' | 'title'>;

const WHOLE_BOARD = 'board';

/**
 * The question about landed tasks whose files say otherwise, or `undefined` when there are none. One question for all: a switched branch
 * turns back the whole board at once. `title` is from the first file.
 */
function reopenQuestion(tasks: readonly Doubtful[], title = tasks[0]?.title, branch = 'no branch'): NewQuestion | undefined {
  const [first] = tasks;
  if (!first) return undefined;
  const commit = first.commit ? `landed as ${first.commit.slice(0, 8)}` : 'landed';
  if (tasks.length === 1) {
    const renamed = title === first.title ? '' : ` (and is now "${title}": a new task needs a new number)`;
    const text = `${first.id} ${commit}, but its file says ${first.status}${renamed}. It does not run again by itself: furrow retry ${first.id} runs it again, furrow move ${first.id} done keeps it`;
    return { kind: 'reopen', subject: first.ref, reason: text };
  }
  const statuses = [...new Set(tasks.map((task) => task.status))].slice(0, 3).join(' or ');
  const text = `${tasks.length} landed tasks have files that say ${statuses}, first ${first.id} (${commit}); your checkout is on ${branch}. They do not run again by themselves: furrow retry TASK runs one again, and this closes when the files say done`;
  return { kind: 'reopen', subject: WHOLE_BOARD, reason: text };
}

const doubted = statement((db) =>
  db
    .selectFrom('task')
    .select(['ref', 'id', 'file', 'status', 'commit', 'title', 'want', 'updated', 'newest'])
    // Literals: SQLite uses the partial index only for these very words.
    .where('standing', '=', sql.lit('landed'))
    .where(sql<boolean>`status not in ('done', 'archived')`)
    .where('missing', 'is', null)
    .orderBy('ref')
    .compile(),
);

/** Opens or closes the question about landed tasks whose files say otherwise. It writes nothing while the answer is the same. */
export async function askAboutLanded(
  db: Db,
  titleOf: (file: string) => string | undefined,
  branch: () => string,
  now: number,
): Promise<void> {
  const { rows } = await doubted(db, {});
  const doubtful = rows.filter((row) => !isAboutToSayDone(row)).sort((a, b) => compareIds(a.id, b.id));
  const question = doubtful.length === 0 ? undefined : reopenQuestion(doubtful, titleOf(doubtful[0]!.file), branch());
  const open = await openQuestions(db, { kinds: ['reopen'] });
  const over = open.filter((one) => one.subject !== question?.subject);
  if (over.length === 0 && (!question || open[0]?.reason === asStored(question.reason))) return;
  await db.transaction().execute(async (tx) => {
    for (const { subject } of over) await closeQuestions(tx, 'reopen', subject, 'no file says so any more', now);
    if (question) await raiseQuestion(tx, question, now);
  });
}

/** True when it has just landed and its file is about to be written. */
function isAboutToSayDone(row: Pick<Task, 'want' | 'updated' | 'newest'>): boolean {
  return row.want !== null && (JSON.parse(row.want) as Want).status === 'done' && !isTurnedBack(row);
}
