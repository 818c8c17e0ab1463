import { append } from '../../../journal/event.ts';
import type { Tx } from '../../../journal/store.ts';
import { landingsAt } from '../../../queue/landing/read.ts';
import { entriesOf, forgetLanding } from '../../../queue/landing/store.ts';
import { entriesById } from '../../../work/entry/read.ts';
import { queueAgain } from '../../../work/entry/store.ts';
import { advance, findTaskRow } from '../../../work/task/store.ts';

/**
 * Queues landings again that the user's branch went past, or that git lost (`why`). The user's branch wins; the work goes through the queue
 * on top of it, in its order. Verdicts belong to trees, so unchanged trees are not checked twice.
 */
export async function requeueLandings(tx: Tx, commits: readonly string[], now: number, why = 'was moved by you'): Promise<void> {
  for (const landing of await landingsAt(tx, commits)) {
    const { commit } = landing;
    await forgetLanding(tx, landing.id);
    const ids = entriesOf(landing);
    const entries = await entriesById(tx, ids);
    // In the order they were stacked in: a later one may build on an earlier one.
    for (const entry of entries.sort((a, b) => ids.indexOf(a.id) - ids.indexOf(b.id))) {
      const task = await findTaskRow(tx, entry.task);
      // A branch that was submitted without a task has only an entry, which is queued again.
      const event = { on: 'requeued', token: entry.attempt } as const;
      if (task && !(await advance(tx, entry.task, event, now, { commit: null, tell: { status: 'review' } }))) continue;
      await queueAgain(tx, entry, now);
      const text = `${landing.target} ${why}; ${entry.task} is queued again on top of it`;
      await append(tx, { kind: 'entry.requeued', task: entry.task, attempt: entry.attempt, text, data: { commit } }, now);
    }
  }
}
