import { agentsOf } from '../../../agents/agent/store.ts';
import { FurrowError } from '../../../platform/error.ts';
import { isWritable } from '../../../work/task/file-change.ts';
import { findTaskRow, noteFile, readTask, type Want } from '../../../work/task/store.ts';
import { claims } from '../../farm/snapshot.ts';
import type { LeaderHalf } from '../../leader/act-half.ts';

/** The order is `want` in the task's row: refused when that says something else by now, and taken out when the file has been written. */
export const boardWrite: LeaderHalf<'board.write'> = {
  ordered: true,

  async facts(farm, args) {
    const task = await readTask(farm.db, args.task);
    if (task.want !== args.want) throw new FurrowError('STALE', `${args.task} has another change to write by now`);
    if (!isWritable(task)) throw new FurrowError('STALE', `${task.file} is not the version that the store knows`);
    const { phase, claimed_by: claimedBy, claimed_at: claimedAt } = task;
    return { task, claimed: claims(farm, { agents: await agentsOf(farm.db) })({ phase, claimedBy, claimedAt }) !== undefined };
  },

  async finish(tx, args, result, _now, after) {
    after(({ farm }) => farm.ownWrites.delete(result.hash));
    const task = await findTaskRow(tx, args.task);
    if (!task) return;
    const { hash, status, updated = task.updated, claim, found } = result;
    const claimed = claim && { claimed_by: claim.by, claimed_at: claim.at };
    const want = stillWanted(task.want, found ?? (JSON.parse(args.want) as Want));
    // Without a hash the file is read again: where the order was found, somebody may have changed more.
    await noteFile(tx, args.task, { hash: found ? '' : hash, status, updated, newest: updated, want, ...claimed });
  },
};

/** Keeps the changes that were asked for during the write, without those that were written. */
function stillWanted(now: string | null, written: Want): string | null {
  if (!now) return null;
  const want = JSON.parse(now) as Want;
  const notes = want.notes.filter((note) => !written.notes.includes(note));
  const same =
    want.status === written.status &&
    want.release === written.release &&
    want.claimedBy === written.claimedBy &&
    want.blocked === written.blocked;
  return same && notes.length === 0 ? null : JSON.stringify({ ...want, notes });
}
