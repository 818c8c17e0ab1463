import type { Candidate, Candidates } from '../../../queue/race/brief.ts';
import { lastAttemptAt } from '../../../work/attempt/store.ts';
import type { Task } from '../../../work/task/store.ts';
import type { Farm } from '../../farm/farm.ts';
import { taskText } from '../../farm/task-text.ts';
import type { RaceLook } from './facts.ts';

/** The results that a judge chooses among, and the task. */
export async function candidatesOf(farm: Farm, head: string, look: RaceLook, task: Task, among: readonly number[]): Promise<Candidates> {
  const entrants: Candidate[] = [];
  for (const { n, ref, sha, commit, lines } of look.entrants.filter((one) => among.includes(one.n))) {
    const last = await lastAttemptAt(farm.db, ref);
    const { usd = null } = look.facts.entrants.find((one) => one.n === n) ?? {};
    const { kind = '', agent = null, branch = '', summary = null } = last ?? {};
    entrants.push({ n, kind, agent, commit: sha ?? '', merged: commit ?? sha ?? '', branch, usd, lines, summary });
  }
  return { task: { id: task.id, title: task.title, text: await taskText(farm, task) }, head, entrants };
}
