import { linkSync, mkdirSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { FurrowError, isErrno } from '../../platform/error.ts';
import { closing, onDisk, removeSync, syncFolder } from '../../platform/files.ts';
import { normalPattern } from '../../platform/glob.ts';
import { attach, checkAttachments } from './attached.ts';
import { withBoardLock } from './board-lock.ts';
import { DEFAULT_PHASE, isPhase } from './id.ts';
import { type Board, type Phase, readBoard } from './layout.ts';
import { fileName, type NewTask, printNewTask } from './new-task.ts';
import { increaseNextId, isTaken, nextNumber } from './number.ts';
import { type ScanCache, scan } from './scan.ts';

/**
 * Writes a new task under the next free number of the whole board. It reserves the number by creating `.<n>.new` exclusively in the board
 * folder, so that adds at the same time get different numbers. With the cache of an earlier scan it reads only changed files; numbers up to
 * `used` belonged to tasks that may be on another branch.
 */
export async function createTask(
  board: Board,
  phase: string,
  fields: NewTask,
  now: number,
  known: { readonly cache?: ScanCache | undefined; readonly used?: number; readonly attach?: readonly string[] | undefined } = {},
): Promise<{ id: string; file: string }> {
  if (fields.title.trim() === '') throw new FurrowError('USAGE', 'a task needs a title', { hint: 'furrow add "what to do"' });
  const bad = fields.paths?.find((path) => normalPattern(path) === undefined);
  if (bad !== undefined)
    throw new FurrowError('USAGE', `"${bad}" is no path or pattern inside the repository`, {
      hint: 'furrow add "what to do" --paths "src/**"',
    });
  const { attach: files = [] } = known;
  checkAttachments(files);
  const place = placeOf(board, phase);
  mkdirSync(place.tasksDir, { recursive: true });
  return withBoardLock(place.dir, async () => {
    const seen = await scan(board, known.cache);
    for (let number = nextNumber(seen, known.used); ; number++) {
      const file = await writeNew(board, place, number, { fields, files }, now);
      if (!file) continue;
      await increaseNextId(place.dir, number + 1);
      return { id: String(number), file: relative(board.dir, file) };
    }
  });
}

function placeOf(board: Board, name: string): Phase {
  const found = board.phases.find((phase) => phase.name === name);
  if (found) return found;
  if (!isPhase(name))
    throw new FurrowError('BAD_PHASE', `${JSON.stringify(name)} is not a phase name`, { hint: 'furrow add --phase NAME' });
  const dir = name === DEFAULT_PHASE ? board.dir : join(board.dir, name);
  return { name, dir, tasksDir: join(dir, board.config.tasksDir), config: board.config };
}

/** The path of the new file, or `undefined` when the number turned out to be taken. */
async function writeNew(
  board: Board,
  phase: Phase,
  number: number,
  { fields, files }: { readonly fields: NewTask; readonly files: readonly string[] },
  now: number,
): Promise<string | undefined> {
  const reserved = join(board.dir, `.${number}.new`);
  const path = join(phase.tasksDir, fileName(number, fields.title));
  const fd = openNew(reserved);
  if (fd === undefined) return undefined;
  let named = false;
  try {
    await closing(fd, async () => {
      // Another process may have taken the number, and finished, before our own file was there.
      if (isTaken(readBoard(board.dir), number)) return;
      attach(phase.dir, String(number), files);
      writeFileSync(fd, printNewTask(String(number), fields, phase.config, now));
      await onDisk(fd);
      named = await giveName(reserved, path);
    });
  } finally {
    removeSync(reserved);
  }
  return named ? path : undefined;
}

function openNew(path: string): number | undefined {
  try {
    return openSync(path, 'wx');
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return undefined;
    throw error;
  }
}

/** Gives the finished file its name, never over another file; on a file system without links it renames. */
async function giveName(from: string, to: string): Promise<boolean> {
  try {
    linkSync(from, to);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    renameSync(from, to);
  }
  await syncFolder(dirname(to));
  return true;
}
