import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Written } from '../../src/daemon/acts/board-write/arguments.ts';
import { findWritten } from '../../src/daemon/acts/board-write/found.ts';
import type { Farm } from '../../src/daemon/farm/farm.ts';
import { hashOf } from '../../src/work/task/scan.ts';
import { timestamp } from '../../src/work/task/status.ts';
import type { Task, Want } from '../../src/work/task/store.ts';
import { changeText } from '../../src/work/task/write.ts';
import { fileName, taskFile } from '../support/board.ts';
import type { StoryTask } from './story.ts';

/** Puts a task on the board, as a person would. */
export function addTask(dir: string, { id, after, needs, approve, race }: StoryTask): void {
  const more = { ...(needs.length > 0 && { needs }), ...(approve && { land: 'approve' }), ...(race && { race: 2 }) };
  const task = { id, title: `Task ${id}`, ...(after.length > 0 && { depends_on: after }), more };
  mkdirSync(join(dir, 'tasks'), { recursive: true });
  writeFileSync(join(dir, 'tasks', fileName(task)), taskFile(task));
}

/** Writes the store's wants into a task file if it is still the one that was read, or finds them there. */
export function writeTask(farm: Farm, task: Task, want: Want): Written | undefined {
  const path = join(farm.board.dir, task.file);
  const text = readFileSync(path, 'utf8');
  const now = farm.clock.now();
  const status = want.status ?? task.status;
  if (hashOf(text) !== task.hash) return findWritten(text, task.file, { want, status, claim: undefined });
  const claim = want.claimedBy && want.blocked == null && status !== 'todo' ? { by: want.claimedBy, at: now } : { by: null, at: 0 };
  const set = {
    status,
    claimed_by: claim.by,
    claimed_at: claim.by === null ? null : timestamp(claim.at),
    ...(want.blocked !== undefined && { blocked: want.blocked === null ? null : true, block_reason: want.blocked }),
  };
  const note = want.notes.length > 0 ? { note: want.notes.join('\n') } : {};
  const made = changeText(text, { set, ...note }, now);
  writeFileSync(path, made);
  return { hash: hashOf(made), status, updated: now, claim };
}

/** A person's edit of the body. */
export function editTask(path: string, n: number): void {
  writeFileSync(path, `${readFileSync(path, 'utf8')}\nRemark ${n}.\n`);
}

/** A person takes the mark away that holds a task back. */
export function unblockTask(path: string): void {
  const text = readFileSync(path, 'utf8');
  if (/^blocked: true/m.test(text))
    writeFileSync(path, changeText(text, { set: { blocked: null, block_reason: null } }, Date.UTC(2026, 0, 5)));
}
