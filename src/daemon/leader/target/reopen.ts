import { failure } from '../../../agents/agent/after-attempt.ts';
import { append } from '../../../journal/event.ts';
import type { Tx } from '../../../journal/store.ts';
import { buildsOnReverted } from '../../../queue/slow-checks/builds-on-reverted.ts';
import { type LandedRevert, landedReverts, noteReopened } from '../../../queue/slow-checks/reverts.ts';
import { raiseQuestion } from '../../../work/question/store.ts';
import { advance, findTaskRow } from '../../../work/task/store.ts';
import type { Farm } from '../../farm/farm.ts';
import { dispatchSnapshot, readRows } from '../../farm/snapshot.ts';

/** Reopens the task of a landed revert, with the evidence, and flags what depends on it. */
export async function reopenReverted(farm: Farm): Promise<void> {
  const landed = await landedReverts(farm.db);
  if (landed.length === 0) return;
  const { tasks } = dispatchSnapshot(farm, await readRows(farm));
  const now = farm.clock.now();
  for (const revert of landed) {
    await farm.db.transaction().execute(async (tx) => {
      await noteReopened(tx, revert.id, now);
      if (await openAgain(tx, farm, revert, now))
        for (const { task, text } of buildsOnReverted(tasks, revert.task))
          await raiseQuestion(tx, { kind: 'fallout', subject: task, reason: text }, now);
    });
  }
  farm.wake();
}

async function openAgain(tx: Tx, farm: Farm, { task: ref, rework, attempt }: LandedRevert, now: number): Promise<boolean> {
  const task = await findTaskRow(tx, ref);
  if (!task) return false;
  const first = rework.report.split('\n')[0] ?? '';
  const after = failure(first, task, farm.config.attempts);
  const note = { status: 'todo', notes: [`attempt ${attempt} was taken back: ${first}`] };
  const change = { commit: null, rework, failures: after.failures, tell: note };
  if (!(await advance(tx, ref, { on: 'reverted', token: attempt }, now, change))) return false;
  await append(tx, { kind: 'task.reverted', task: ref, attempt, text: `${task.id} was taken back and is to be done again: ${first}` }, now);
  if (after.event !== 'parked') return true;
  const question = after.question ?? first;
  await advance(tx, ref, { on: 'parked', token: attempt }, now, { blocked: 1, block_reason: question, tell: { blocked: question } });
  await raiseQuestion(tx, { kind: 'parked', subject: ref, reason: question }, now);
  return true;
}
