import { append } from '../../../journal/event.ts';
import { FurrowError } from '../../../platform/error.ts';
import { errandOf } from '../../../work/errand/store.ts';
import { answerQuestion, type Question } from '../../../work/question/store.ts';
import { inOrder, lastOf } from '../../../work/split/order.ts';
import type { ProposedTask } from '../../../work/split/proposal.ts';
import type { SplitData } from '../../../work/split/read.ts';
import { splitRef } from '../../../work/task/id.ts';
import { findTaskRow, type Task } from '../../../work/task/store.ts';
import { board } from '../board.ts';
import type { Desk } from '../context.ts';
import { PERSON, splitting } from './begin.ts';

/**
 * Answers the question about a split. A yes puts its tasks on the board, each after those that it waits for; the question is closed
 * last. After an interruption the person answers again: a task that is there already, by its tag and title, is not added twice.
 */
export async function answerSplit(desk: Desk, question: Question, approve: boolean): Promise<Record<string, string>> {
  const { farm } = desk;
  const { tasks } = JSON.parse(question.data ?? '{}') as SplitData;
  const { id, phase } = splitRef(question.subject);
  if (approve && tasks.length === 0)
    throw new FurrowError('NOT_AN_ANSWER', `${id} proposes no tasks`, { hint: `furrow answer ${question.id} no, then furrow split again` });
  const errand = await errandOf(farm.db, question.subject);
  const about = errand?.about == null ? undefined : await findTaskRow(farm.db, errand.about);
  const into = about?.phase ?? farm.board.phases.find((one) => one.name === phase)?.name;
  const made = approve ? await putOnBoard(desk, tasks, id, into) : {};
  if (about) await letGo(desk, about, id, approve ? lastOf(tasks).map((one) => made[one.key]!) : []);
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    if (!(await answerQuestion(tx, question, approve ? 'yes' : 'no', now)) || !approve) return;
    const text = `${id} put ${Object.values(made).join(', ')} on the board`;
    await append(tx, { kind: 'split.applied', task: about?.ref ?? null, text, data: { tasks: made } }, now);
  });
  farm.wake();
  return made;
}

async function putOnBoard(
  desk: Desk,
  tasks: readonly ProposedTask[],
  tag: string,
  phase: string | undefined,
): Promise<Record<string, string>> {
  await desk.readBoard();
  const there = (await desk.farm.tasks()).tasks.filter((row) => (JSON.parse(row.tags) as string[]).includes(tag));
  const made: Record<string, string> = {};
  for (const { key, title, body, paths, depends_on, priority, agent } of inOrder(tasks)) {
    const known = there.find((row) => row.title === title);
    const fields = {
      title,
      body,
      tags: [tag],
      ...(paths.length > 0 && { paths: [...paths] }),
      ...(depends_on.length > 0 && { depends_on: depends_on.map((name) => made[name] ?? name) }),
      ...(priority !== undefined && { priority }),
      ...(agent !== undefined && { agent }),
      ...(phase !== undefined && { phase }),
    };
    made[key] = known?.id ?? (await board(desk).add(fields, PERSON)).id;
  }
  return made;
}

/** Makes the task that was split wait for the last of the new ones, so that tasks which wait for it wait for all of them. */
async function letGo(desk: Desk, task: Task, id: string, last: readonly string[]): Promise<void> {
  const calls = board(desk);
  if (last.length > 0) {
    const waits = [...new Set([...(JSON.parse(task.depends_on) as string[]), ...last])];
    await calls.edit(
      { task: task.ref, depends_on: waits, note: `split into other tasks (${id}); what is left of it is done after them` },
      PERSON,
    );
  }
  if (task.block_reason === splitting(id)) await calls.unblock({ task: task.ref }, PERSON);
}
