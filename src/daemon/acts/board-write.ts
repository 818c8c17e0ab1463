import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Act } from '../../journal/act.ts';
import { FurrowError } from '../../platform/error.ts';
import { isWritable } from '../../task/follow.ts';
import { parseTask } from '../../task/parse.ts';
import { hashOf } from '../../task/scan.ts';
import { timestamp } from '../../task/status.ts';
import { readTask, type Want } from '../../task/store.ts';
import { updateTask } from '../../task/write.ts';
import type { Farm } from '../farm.ts';

export interface BoardWriteArgs {
  readonly task: string;
  readonly want: string;
}

interface Written {
  readonly hash: string;
  readonly status: string;
  /** The file's own `updated`. Missing in a result of an earlier version. */
  readonly updated?: number;
}

/** Writes into a task file what the store says of it: a minimal patch of the file the daemon read, never of another. */
export function boardWrite(farm: Farm, onClash: () => void): Act<BoardWriteArgs, Written> {
  return {
    kind: 'board.write',

    async begin(tx, args) {
      const task = await readTask(tx, args.task);
      if (task.want !== args.want) throw new FurrowError('STALE', `${args.task} wants something else by now`);
      if (!isWritable(task)) throw new FurrowError('STALE', `${task.file} is not the version that the store knows`);
    },

    async probe(args) {
      const want = JSON.parse(args.want) as Want;
      const task = await readTask(farm.db, args.task);
      const text = await readFile(join(farm.board.dir, task.file), 'utf8').catch(() => undefined);
      const parsed = text === undefined ? undefined : parseTask(text, task.file);
      if (!text || !parsed?.ok) return undefined;
      const saysBlocked = parsed.task.blocked ? (parsed.task.blockReason ?? '') : null;
      const done =
        (!want.status || parsed.task.status === boardStatus(statusesOf(farm, task.phase), want.status)) &&
        (want.blocked === undefined || want.blocked === saysBlocked) &&
        want.notes.every((note) => text.includes(note));
      return done ? { hash: hashOf(Buffer.from(text)), status: parsed.task.status, updated: parsed.task.updated } : undefined;
    },

    async run(args) {
      const want = JSON.parse(args.want) as Want;
      const task = await readTask(farm.db, args.task);
      const now = farm.clock.now();
      const status = want.status ? boardStatus(statusesOf(farm, task.phase), want.status) : task.status;
      const set = {
        status,
        ...(want.claimedBy && { claimed_by: want.claimedBy, claimed_at: timestamp(now) }),
        ...(want.blocked !== undefined && { blocked: want.blocked === null ? null : true, block_reason: want.blocked }),
      };
      const change = { set, statuses: statusesOf(farm, task.phase), ...(want.notes.length > 0 && { note: want.notes.join('\n') }) };
      const done = await updateTask(join(farm.board.dir, task.file), task.hash, change, now);
      if (done === 'changed' || done === 'gone') {
        onClash();
        throw new FurrowError('BOARD_CHANGED', `${task.file} was edited or removed meanwhile; the board is read again first`);
      }
      return { hash: done.hash, status, updated: now };
    },

    async finish(tx, args, result) {
      const task = await tx.selectFrom('task').select(['want', 'updated']).where('ref', '=', args.task).executeTakeFirst();
      if (!task) return;
      const { hash, status, updated = task.updated } = result;
      const want = stillWanted(task.want, JSON.parse(args.want) as Want);
      await tx.updateTable('task').set({ hash, status, updated, newest: updated, want }).where('ref', '=', args.task).execute();
    },
  };
}

const statusesOf = (farm: Farm, phase: string) =>
  (farm.board.phases.find((one) => one.name === phase)?.config ?? farm.board.config).statuses;

/** The board's own word for one of ours: a board without a `review` column keeps such tasks in progress. */
function boardStatus(known: readonly string[], status: string): string {
  if (known.includes(status)) return status;
  if (status === 'review' && known.includes('in-progress')) return 'in-progress';
  return status === 'todo' ? (known[0] ?? status) : status;
}

/** What was asked for while this was being written stays to be written, without what is written now. */
function stillWanted(now: string | null, written: Want): string | null {
  if (!now) return null;
  const want = JSON.parse(now) as Want;
  const notes = want.notes.filter((note) => !written.notes.includes(note));
  const same = want.status === written.status && want.claimedBy === written.claimedBy && want.blocked === written.blocked;
  return same && notes.length === 0 ? null : JSON.stringify({ ...want, notes });
}
