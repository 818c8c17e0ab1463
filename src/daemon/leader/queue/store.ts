import { append } from '../../../journal/event.ts';
import { type Tx, writeMeta } from '../../../journal/store.ts';
import { type FailedOutput, failedOutput } from '../../../platform/output/failed.ts';
import type { QueuePlan } from '../../../queue/plan.ts';
import type { QueueSnapshot } from '../../../queue/snapshot.ts';
import { towards } from '../../../work/entry/state.ts';
import { advanceEntry, noteChecks } from '../../../work/entry/store.ts';
import { closeQuestions, closeTaskQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import { advance } from '../../../work/task/store.ts';
import { openHalt, withOutput } from '../../farm/failed-output.ts';
import type { Farm } from '../../farm/farm.ts';
import { type Back, handBack } from './hand-back.ts';
import { describeConflict, describeRed } from './hand-back-text.ts';
import { checksOf } from './landing.ts';
import type { QueueMemory } from './memory.ts';

/** Entries whose conflict was handed back before, and that came again without the commit they conflicted with. */
export type Unresolved = ReadonlySet<number>;

/** Stores a plan's decisions in one transaction: moves, ends, its notes, and whether the queue is halted. */
export async function storePlan(
  farm: Farm,
  memory: QueueMemory,
  plan: QueuePlan,
  snapshot: QueueSnapshot,
  unresolved: Unresolved,
): Promise<void> {
  const now = farm.clock.now();
  const notes = JSON.stringify(plan.notes);
  const noted = notes === JSON.stringify(memory.notes);
  const halted = (await openHalt(farm.db))?.reason;
  // A paused queue does not say why it was halted; if only agents wait, the preflight reports it.
  const stands = snapshot.paused ? halted : snapshot.entries.length === 0 ? undefined : plan.halted;
  const ends = plan.handback.length + plan.refuse.length + plan.reject.length + plan.contained.length;
  if (ends + plan.states.length === 0 && noted && halted === stands) return;
  await farm.db.transaction().execute(async (tx) => {
    for (const { entry: id, state, reason } of plan.states) {
      const { task, attempt, review } = snapshot.entries.find((one) => one.id === id)!;
      const moved = await advanceEntry(tx, id, towards(state), now, { reason });
      // Held for a yes and held for a red segment are one state; people are told which.
      const data = state === 'held' && plan.notes.green?.[id] !== undefined ? { code: review ? 'review' : 'approval' } : {};
      if (moved)
        await append(tx, { kind: `entry.${state}`, task, attempt, text: `${splitRef(task).id} in the queue: ${reason}`, data }, now);
    }
    for (const id of plan.contained) await endContained(tx, memory.target, snapshot, id, now);
    const back = (one: Back) => handBack(tx, farm, snapshot, one, now);
    for (const { entry, report } of plan.handback) {
      const again = unresolved.has(entry);
      await back({ entry, state: 'conflict', report: describeConflict(report), conflict: report, ...(again && { again }) });
    }
    for (const { entry, reason, forbidden } of plan.refuse)
      await back({ entry, report: reason, ...(forbidden ? { state: 'rejected', forbidden } : { state: 'conflict', anew: true }) });
    for (const { entry, check, tree } of plan.reject) {
      await back({ entry, state: 'rejected', ...(await describeRed(tx, snapshot, check, tree)) });
      await noteChecks(tx, entry, checksOf(snapshot, [entry]));
    }
    if (!noted) await writeMeta(tx, 'queue.notes', notes);
    if (stands && halted !== stands) {
      const output = await haltOutput(snapshot, stands);
      await append(tx, { kind: 'queue.halted', text: `queue halted: ${stands}`, data: { ...(output && { log: output.path }) } }, now);
      await raiseQuestion(tx, { kind: 'queue', subject: 'queue', reason: stands, data: withOutput(output) }, now);
    }
    if (!stands && halted) {
      await append(tx, { kind: 'queue.resumed', text: 'the queue runs again' }, now);
      await closeQuestions(tx, 'queue', 'queue', 'it goes on', now);
    }
  });
  memory.notes = plan.notes;
  // What is left is planned anew, and what the notes say of it is asked. A state alone only tells people of this plan.
  if (ends > 0 || (plan.states.length > 0 && !noted)) farm.wake();
}

/** Stores the planner's notes, also while it does not know enough for more. */
export async function storeNotes(farm: Farm, memory: QueueMemory, notes: QueuePlan['notes']): Promise<void> {
  if (JSON.stringify(notes) === JSON.stringify(memory.notes)) return;
  await writeMeta(farm.db, 'queue.notes', JSON.stringify(notes));
  memory.notes = notes;
}

/** The output of the run that a halt names. */
async function haltOutput({ runs, checks }: QueueSnapshot, halted: string): Promise<FailedOutput | undefined> {
  const run = runs.findLast((one) => one.log !== undefined && halted.includes(one.log));
  const name = checks.find((one) => one.id === run?.check)?.name ?? '';
  return run?.log === undefined ? undefined : failedOutput({ name, detail: run.detail ?? null, log: run.log });
}

async function endContained(tx: Tx, target: string, snapshot: QueueSnapshot, id: number, now: number): Promise<void> {
  const entry = snapshot.entries.find((one) => one.id === id);
  if (!entry || !(await advanceEntry(tx, id, { on: 'landed' }, now, { reason: 'the target already has it' }))) return;
  await advance(tx, entry.task, { on: 'landed', token: entry.attempt }, now, {
    commit: snapshot.head,
    rework: null,
    tell: { status: 'done', notes: ['landed: the target already had all of it'] },
  });
  await closeTaskQuestions(tx, entry.task, 'landed', now);
  const { id: name } = splitRef(entry.task);
  const data = { commit: snapshot.head, tasks: [name], refs: [entry.task], contained: true };
  const text = `${name} was already on ${target}`;
  await append(tx, { kind: 'landing.landed', task: entry.task, attempt: entry.attempt, text, data }, now);
}
