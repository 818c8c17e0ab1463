import type { Db } from '../../../journal/store.ts';
import { othersAtWork } from '../../../work/attempt/read.ts';
import { errandOf } from '../../../work/errand/store.ts';
import { readTask, type Task } from '../../../work/task/store.ts';
import type { Assignment } from '../../acts/attempt-start/arguments.ts';

/** Reads everything that the store knows about an agent's assignment. */
export async function assignmentOf(db: Db, task: Task, agent: string): Promise<Assignment> {
  const errand = task.purpose === 'work' ? undefined : await errandOf(db, task.ref);
  const brief = errand?.brief ?? null;
  // An entrant of a race gets the same text as any agent that works on the task.
  const raced = brief === null && errand?.about != null ? { ...(await readTask(db, errand.about)), rework: task.rework } : task;
  return { task: raced, brief, others: await othersAtWork(db, agent) };
}
