import { FurrowError } from '../../platform/error.ts';
import { createRef } from '../../platform/git/refs.ts';
import { openEntryOf } from '../../work/entry/read.ts';
import { submitEntry } from '../../work/entry/store.ts';
import { answerQuestion, type Question } from '../../work/question/store.ts';
import { advance } from '../../work/task/store.ts';
import { handPin } from '../farm/pins.ts';
import { readNow } from '../leader/queue/paths.ts';
import { type Desk, findTask } from './context.ts';
import { dependencies } from './queue.ts';

/** The answer that lets work land although its task was said to need no change. */
export const LAND = /^\s*land\b/i;

/** Submits the newest work of a task that has not landed, because a person says that it is to land. */
export async function landUnlanded({ farm, state }: Desk, row: Question, text: string): Promise<void> {
  const task = await findTask(farm, row.subject);
  const [sha] = (JSON.parse(row.data ?? '{}') as { shas?: string[] }).shas ?? [];
  const stale = new FurrowError('STALE', `${task.id} has changed since the question was asked`, { hint: `furrow why ${task.id}` });
  if (sha === undefined) throw stale;
  const [now, n, after] = [farm.clock.now(), task.attempt + 1, await dependencies(farm, task)];
  await createRef(farm.repo, handPin(task.ref, sha, farm.target), sha);
  const entry = await farm.db.transaction().execute(async (tx) => {
    const tell = { status: 'review', blocked: null, notes: [`you let ${sha.slice(0, 12)} land`] };
    const moved = await advance(tx, task.ref, { on: 'handSubmitted', token: n }, now, {
      blocked: 0,
      block_reason: null,
      taken: null,
      tell,
    });
    if (!moved || (await openEntryOf(tx, task.ref)) || !(await answerQuestion(tx, row, text, now))) throw stale;
    // The answer counts as the approval that `land: approve` asks for. Rules about the content still ask for their own.
    const asked = { by: 'agent', rules: [] } as const;
    const keep = farm.config.queue.keep_commits;
    return submitEntry(tx, { task, attempt: n, agent: null, sha, target: farm.target, after, keep, asked }, now);
  });
  await readNow(farm, state.queue, entry);
  farm.wake();
}
