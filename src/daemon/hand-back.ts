import { failure } from '../agent/aftermath.ts';
import { append } from '../journal/event.ts';
import { raise } from '../journal/question.ts';
import type { Tx } from '../journal/store.ts';
import type { ConflictReport } from '../merge/conflict.ts';
import type { QueueSnapshot } from '../merge/snapshot.ts';
import type { Rework } from '../task/prompt.ts';
import { advance } from '../task/store.ts';
import type { Farm } from './farm.ts';
import { moveEntry } from './move-entry.ts';

export interface Back {
  readonly entry: number;
  readonly state: 'conflict' | 'rejected';
  /** The first line is for people, all of it for the agent. */
  readonly report: string;
  readonly conflict?: ConflictReport;
  /** Nothing can be built on these commits. */
  readonly anew?: boolean;
}

/** The work goes back to be done again from the submitted commits, with a precise report; after `attempts` tries it is parked with a question. */
export async function handBack(tx: Tx, farm: Farm, snapshot: QueueSnapshot, back: Back, now: number): Promise<void> {
  const { entry: id, state, report, conflict } = back;
  const entry = snapshot.entries.find((one) => one.id === id);
  if (!entry) return;
  const first = report.split('\n')[0] ?? '';
  // A rejection is only reachable from quarantine, and the plan has put it there.
  if (!(await moveEntry(tx, id, state, first, now))) return;
  const why = state === 'conflict' ? 'conflict' : 'check';
  const data = { why, sha: entry.sha, ...(conflict && { ref: conflict.ref, files: conflict.files.map((file) => file.path) }) };
  const task = await tx.selectFrom('task').selectAll().where('ref', '=', entry.task).executeTakeFirst();
  await append(
    tx,
    { kind: 'task.handed-back', task: entry.task, attempt: entry.attempt, text: `${task?.id ?? entry.task} goes back: ${first}`, data },
    now,
  );
  if (!task) return;
  const after = failure(first, task, farm.config.attempts);
  const rework: Rework = { why, report, from: back.anew ? null : entry.sha };
  const parked = after.event === 'parked';
  await advance(tx, entry.task, { on: parked ? 'parked' : 'handedBack', token: entry.attempt }, now, {
    failures: after.failures,
    rework: JSON.stringify(rework),
    ...(parked && { blocked: 1, block_reason: after.question ?? null }),
    tell: { status: 'todo', notes: [`attempt ${entry.attempt}: ${first}`], ...(parked && { blocked: after.question ?? first }) },
  });
  if (!parked) return;
  await append(tx, { kind: 'task.parked', task: entry.task, attempt: entry.attempt, text: `${task.id} is parked: ${after.question}` }, now);
  await raise(tx, { kind: 'parked', subject: entry.task, reason: after.question ?? first }, now);
}
