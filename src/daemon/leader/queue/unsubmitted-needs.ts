import { branchOf } from '../../../journal/branch.ts';
import { quotedIfNeeded } from '../../../platform/shell.ts';
import type { Absent, QueueEntry } from '../../../queue/snapshot.ts';
import { lastEntryOf } from '../../../work/entry/read.ts';
import { ended } from '../../../work/entry/state.ts';
import { isHeldByPerson } from '../../../work/task/derive.ts';
import type { DispatchSnapshot, PlanTask } from '../../../work/task/dispatch.ts';
import { splitRef } from '../../../work/task/id.ts';
import { movable } from '../../../work/task/stuck.ts';
import type { Farm } from '../../farm/farm.ts';
import { dispatchSnapshot, readRows } from '../../farm/snapshot.ts';
import { kindReasons, withoutKind } from '../work/kinds.ts';
import type { QueueMemory } from './memory.ts';

/** The states of tasks that open entries wait for: tasks that have neither landed nor are in the queue. */
export async function unsubmittedNeeds(
  farm: Farm,
  memory: QueueMemory,
  entries: readonly QueueEntry[],
  landed: ReadonlySet<string>,
): Promise<Map<string, Absent>> {
  const open = entries.filter((entry) => !ended(entry.state));
  const queued = new Set(open.map((entry) => entry.task));
  const needed = [...new Set(open.flatMap((entry) => entry.after))].filter((task) => !landed.has(task) && !queued.has(task));
  if (needed.length === 0) return new Map();
  const rows = await readRows(farm);
  const snapshot = dispatchSnapshot(farm, rows);
  const lost = kindReasons(farm, withoutKind(farm, snapshot, rows));
  const held = (task: { ref: string }) => lost.has(task.ref) || memory.held.get(task.ref)?.refused === true;
  const known = { ...snapshot, held };
  const moving = movable(known);
  const found = new Map<string, Absent>();
  for (const ref of needed) {
    const task = snapshot.tasks.find((one) => one.ref === ref);
    found.set(ref, task ? absentTask(known, task, moving.has(task), lost.get(ref)?.text) : await absentBranch(farm, ref));
  }
  return found;
}

/** A task of the board. */
export function absentTask(snapshot: DispatchSnapshot, task: PlanTask, moves: boolean, held: string | undefined): Absent {
  const { id, phase, standing } = task;
  const why = task.blockReason ? `: ${task.blockReason}` : '';
  if (standing === 'parked') return { is: `is parked${why}`, comes: false, next: `furrow retry ${id}` };
  if (task.blocked) return { is: `is blocked${why}`, comes: false, next: `furrow unblock ${id}` };
  if (standing === 'leased' || standing === 'submitted') return { is: 'is being worked on', comes: true, next: `furrow why ${id}` };
  if (isHeldByPerson(task))
    return { is: `is ${task.status} on the board: a person has it`, comes: true, next: `furrow submit BRANCH --task ${id}` };
  const where = task.reworking ? 'was sent back' : 'has not started';
  if (task.missing !== null) return { is: 'has no file on the board', comes: false, next: `furrow why ${id}` };
  if (moves) return { is: where, comes: true, next: `furrow why ${id}` };
  if (held) return { is: `${where}: ${held}`, comes: false, next: `furrow why ${id}` };
  if (!snapshot.activePhases.has(phase))
    return { is: `${where}, and nobody works on phase ${phase}`, comes: false, next: `furrow work ${phase}` };
  return { is: `${where} and cannot start`, comes: false, next: `furrow why ${id}` };
}

/** The state of a ref that is not on the board: a branch submitted without a task, or a task whose file is gone. */
async function absentBranch(farm: Farm, ref: string): Promise<Absent> {
  const last = await lastEntryOf(farm.db, ref);
  const name = splitRef(ref)?.id ?? ref;
  const branch = branchOf(ref);
  const next = branch ? `furrow submit ${quotedIfNeeded(branch)}` : 'furrow queue eject it, then submit it again without that';
  if (!last) return { is: 'is not on the board and was never submitted', comes: false, next };
  if (last.ended === null) return { is: `is in the queue for ${last.target ?? 'another branch'}`, comes: true, next: 'furrow queue' };
  if (last.state === 'cancelled') return { is: `was taken out of the queue (${name})`, comes: false, next };
  return { is: `was sent back (${last.reason ?? last.state})`, comes: false, next };
}
