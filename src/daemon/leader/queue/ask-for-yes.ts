import { asksForYes, asksPerson } from '../../../queue/green-lacks-approval.ts';
import type { QueueSnapshot } from '../../../queue/snapshot.ts';
import { openEntries } from '../../../work/entry/read.ts';
import { ended } from '../../../work/entry/state.ts';
import { asStored, closeQuestions, openQuestions, raiseQuestion } from '../../../work/question/store.ts';
import type { Farm } from '../../farm/farm.ts';
import { rulesFor } from './approval.ts';

/** Keeps a question open for each green entry that waits for a person's yes, and closes it when it was answered or the entry is gone. */
export async function askForYes(farm: Farm, snapshot: QueueSnapshot): Promise<void> {
  const waiting = snapshot.entries.filter((entry) => !ended(entry.state) && asksPerson(snapshot, entry));
  const rules = await rulesOf(farm, waiting);
  const wanted = new Map(
    waiting.map((entry) => [entry.task, `${asksForYes(snapshot, entry)} (commit ${entry.sha.slice(0, 8)})${rules.get(entry.id) ?? ''}`]),
  );
  const asked = await openQuestions(farm.db, { kinds: ['approval'] });
  const news = [...wanted].filter(([task, reason]) => !asked.some((one) => one.subject === task && one.reason === asStored(reason)));
  const over = asked.filter((one) => !wanted.has(one.subject));
  // The question stays while an entry is checked again, merged, or for another target.
  const gone = await withoutEntry(farm, over);
  if (news.length + gone.length === 0) return;
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    for (const [subject, reason] of news) await raiseQuestion(tx, { kind: 'approval', subject, reason }, now);
    for (const { subject } of gone) await closeQuestions(tx, 'approval', subject, 'it does not wait for a yes any more', now);
  });
  farm.wake();
}

/** The rules behind each question, so that a found key is not overlooked. */
async function rulesOf(farm: Farm, waiting: readonly { readonly id: number }[]): Promise<Map<number, string>> {
  if (waiting.length === 0) return new Map();
  const tasks = await farm.tasks();
  const ids = new Set(waiting.map(({ id }) => id));
  const rows = (await openEntries(farm.db)).filter(({ id }) => ids.has(id));
  return new Map(rows.map((row) => [row.id, `; ${rulesFor(farm.config, row, tasks.row(row.task)).join('; ')}`]));
}

async function withoutEntry<T extends { readonly subject: string }>(farm: Farm, questions: readonly T[]): Promise<T[]> {
  if (questions.length === 0) return [];
  const unapproved = new Set((await openEntries(farm.db)).filter(({ approved }) => approved === null).map(({ task }) => task));
  return questions.filter((one) => !unapproved.has(one.subject));
}
