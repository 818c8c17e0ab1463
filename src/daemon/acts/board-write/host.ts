import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../../../platform/error.ts';
import { phaseDir, withBoardLock } from '../../../work/task/board-lock.ts';
import type { Replaced } from '../../../work/task/replace.ts';
import { timestamp } from '../../../work/task/status.ts';
import type { Task, Want } from '../../../work/task/store.ts';
import { type TaskChange, updateTask } from '../../../work/task/write.ts';
import type { Host } from '../../host/host.ts';
import type { HostHalf } from '../table.ts';
import type { BoardFacts, Written } from './arguments.ts';
import { findWritten } from './found.ts';

/** Writes into a task file what the store says of it: a minimal patch of the file the daemon read, never of another. */
export function boardWrite(farm: Host, onClash: () => void): HostHalf<'board.write'> {
  return {
    // `run` looks for its own work in a file that it does not know.
    probe: async () => undefined,

    async run(args, facts) {
      const want = JSON.parse(args.want) as Want;
      const { task } = facts;
      const now = farm.clock.now();
      const status = want.status ? boardStatus(statusesOf(farm, task.phase), want.status) : task.status;
      const claim = claimChange(facts, want, now);
      const set = {
        status,
        ...(claim && { claimed_by: claim.by, claimed_at: claim.by === null ? null : timestamp(claim.at) }),
        ...(want.blocked !== undefined && { blocked: want.blocked === null ? null : true, block_reason: want.blocked }),
      };
      const change = { set, statuses: statusesOf(farm, task.phase), ...(want.notes.length > 0 && { note: want.notes.join('\n') }) };
      const done = await writeOwn(farm, task, change, now);
      if (typeof done !== 'string') return { hash: done.hash, status, updated: now, ...(claim && { claim }) };
      onClash();
      const text = await readFile(join(farm.board.dir, task.file), 'utf8').catch(() => undefined);
      const found = text === undefined ? undefined : findWritten(text, task.file, { want, status, claim });
      if (found) return found;
      throw new FurrowError('BOARD_CHANGED', `${task.file} was edited or removed meanwhile; the board is read again first`);
    },
  };
}

/** Writes the file; until that is stored, or has failed, it is known as a write of furrow's own. */
async function writeOwn(farm: Host, task: Task, change: TaskChange, now: number): Promise<Replaced> {
  let own = '';
  let done: Replaced = 'changed';
  try {
    done = await withBoardLock(phaseDir(farm.board, task.phase), () =>
      updateTask(join(farm.board.dir, task.file), task.hash, change, now, (hash) => {
        own = hash;
        farm.ownWrites.add(hash);
      }),
    );
    return done;
  } finally {
    if (typeof done === 'string') farm.ownWrites.delete(own);
  }
}

/**
 * An agent's claim is written with its start and taken out when the task leaves it to be done again, parked or blocked. A claim
 * of a person that still counts is theirs: it is neither written over nor taken out.
 */
function claimChange({ task, claimed }: BoardFacts, want: Want, now: number): Written['claim'] {
  if (want.release) return want.claimedBy ? { by: want.claimedBy, at: now } : { by: null, at: 0 };
  if (claimed) return undefined;
  const leaves = want.status === 'todo' || want.status === 'backlog' || (want.blocked ?? null) !== null;
  if (want.claimedBy && !leaves) return { by: want.claimedBy, at: now };
  return leaves && task.claimed_by !== null ? { by: null, at: 0 } : undefined;
}

const statusesOf = (farm: Host, phase: string) =>
  (farm.board.phases.find((one) => one.name === phase)?.config ?? farm.board.config).statuses;

/** The board's own word for one of ours: a board without a `review` column keeps such tasks in progress. */
function boardStatus(known: readonly string[], status: string): string {
  if (known.includes(status)) return status;
  if (status === 'review' && known.includes('in-progress')) return 'in-progress';
  return status === 'todo' ? (known[0] ?? status) : status;
}
