import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { lstatSync, readdirSync, readFileSync, type Stats } from 'node:fs';
import { basename, dirname, relative } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { isErrno } from '../../platform/error.ts';
import type { Refusal } from './field.ts';
import { refOf } from './id.ts';
import { type Board, isConfig, layoutOf, type Phase, type Quarantined, readBoard } from './layout.ts';
import { type BoardTask, parseTask } from './parse.ts';

export interface ScannedTask extends BoardTask {
  phase: string;
  ref: string;
  /** Path below the board folder. */
  file: string;
  /** sha256 of the file's bytes. */
  hash: string;
}

/** Tells that a file is unchanged. Kept as numbers: joining them to a text took a third of a look at 5,000 files. */
type Stamp = Pick<Stats, 'ino' | 'size' | 'mtimeMs' | 'ctimeMs'>;

interface Known {
  /** Null while the file may still change without a change of its times. */
  stamp: Stamp | null;
  hash: string;
  seen: { ok: true; task: ScannedTask } | Refusal;
  /** The task of the last version that could be read. */
  ref: string | null;
}

/** The result of the last scan for each file, by its path below the board. */
export type ScanCache = ReadonlyMap<string, Known>;

export interface Scan {
  board: Board;
  tasks: ScannedTask[];
  quarantined: Quarantined[];
  cache: ScanCache;
}

/**
 * A slice takes about 5 ms, so the daemon can answer in between. Synchronous reads: 10,000 files took 50 ms of processor time, by promises
 * 310 ms.
 */
const SLICE = 128;
const LARGEST = 1024 * 1024;
/** A file that changed this recently may change again without a change of its times: file systems tick in up to 10 ms. */
const SETTLE_MS = 100;

/** Reads the whole board as it is now; files that have not changed since `previous` are not opened. */
export async function scan(board: Board, previous: ScanCache = new Map()): Promise<Scan> {
  const fresh = readBoard(board.dir);
  const cache = new Map<string, Known>();
  const tasks: ScannedTask[] = [];
  const quarantined = [...fresh.quarantined];
  let read = 0;
  for (const phase of fresh.phases) {
    const owner = new Map<string, string>();
    const below = relative(board.dir, phase.tasksDir);
    for (const name of taskFiles(phase)) {
      if (++read % SLICE === 0) await setImmediate();
      const file = `${below}/${name}`;
      const known = readTask(phase, name, file, previous.get(file));
      if (!known) continue;
      cache.set(file, known);
      const { seen } = known;
      const other = seen.ok && owner.get(seen.task.id);
      if (!seen.ok) quarantined.push({ file, line: seen.line, reason: seen.reason, ref: known.ref });
      else if (other) quarantined.push({ file, line: 1, reason: `id ${seen.task.id} is taken by ${other}`, ref: null });
      else {
        owner.set(seen.task.id, file);
        tasks.push(seen.task);
      }
    }
  }
  return { board: fresh, tasks, quarantined, cache };
}

/** The result of a look at some files: tasks whose text is another one, and tasks that came. */
interface Rescan {
  readonly scan: Scan;
  readonly changed: readonly ScannedTask[];
  readonly added: readonly ScannedTask[];
}

/**
 * Reads only these files again, given by their paths below the board: the look after our own write costs one file, not 5,000. `undefined`
 * when one of them is gone, cannot be read, is another task now or has the id of another: then read the whole board. The same for a config
 * that says something else than the number of the next task.
 */
export function rescan(previous: Scan, files: readonly string[]): Rescan | undefined {
  if (files.some(isConfig)) {
    const board = readBoard(previous.board.dir);
    if (layoutOf(board) !== layoutOf(previous.board)) return undefined;
    previous.board = board;
  }
  const cache = previous.cache as Map<string, Known>;
  const { tasks } = previous;
  const changed: ScannedTask[] = [];
  const added: ScannedTask[] = [];
  for (const file of files) {
    if (isConfig(file)) continue;
    const before = cache.get(file);
    const phase = previous.board.phases.find((one) => relative(previous.board.dir, one.tasksDir) === dirname(file));
    const now = phase && readTask(phase, basename(file), file, before);
    if (!now?.seen.ok) return undefined;
    const { task } = now.seen;
    if (!before) {
      if (tasks.some(({ id }) => id === task.id)) return undefined;
      cache.set(file, now);
      tasks.push(task);
      added.push(task);
      continue;
    }
    if (!before.seen.ok || task.ref !== before.seen.task.ref) return undefined;
    cache.set(file, now);
    if (task === before.seen.task) continue;
    const at = tasks.indexOf(before.seen.task);
    if (at < 0) return undefined;
    tasks[at] = task;
    changed.push(task);
  }
  return { scan: previous, changed, added };
}

/** Sorted by name, so that of two files with one id always the same one keeps it. */
function taskFiles(phase: Phase): string[] {
  try {
    return readdirSync(phase.tasksDir)
      .filter((name) => name.endsWith('.md') && !name.startsWith('.'))
      .sort();
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return [];
    throw error;
  }
}

/** The state of one file, or `undefined` when it is gone. Times are read before the bytes: the next look sees a change in between. */
function readTask(phase: Phase, name: string, file: string, previous: Known | undefined): Known | undefined {
  const path = `${phase.tasksDir}/${name}`;
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat || stat.isDirectory()) return undefined;
  if (previous?.stamp && isSame(previous.stamp, stat)) return previous;
  const stamp = stampOf(stat);
  const refuse = (reason: string): Known => ({ stamp, hash: '', seen: { ok: false, line: 1, reason }, ref: previous?.ref ?? null });
  if (!stat.isFile()) return refuse('is not a plain file');
  if (stat.size > LARGEST) return refuse('is larger than 1 MB');
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    return refuse(`cannot be read: ${(error as Error).message}`);
  }
  const hash = hashOf(bytes);
  if (previous?.hash === hash) return { ...previous, stamp };
  if (!isUtf8(bytes)) return refuse('is not UTF-8 text');
  const parsed = parseTask(bytes.toString('utf8'), file);
  if (!parsed.ok) return { stamp, hash, seen: parsed, ref: previous?.ref ?? null };
  const ref = refOf(phase.name, parsed.task.id);
  return { stamp, hash, seen: { ok: true, task: { ...parsed.task, phase: phase.name, ref, file, hash } }, ref };
}

/** sha256 of a file's bytes, or of its text. */
export function hashOf(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function stampOf({ ino, size, mtimeMs, ctimeMs }: Stats): Stamp | null {
  return Date.now() - Math.max(mtimeMs, ctimeMs) < SETTLE_MS ? null : { ino, size, mtimeMs, ctimeMs };
}

const isSame = (a: Stamp, b: Stamp) => a.ino === b.ino && a.size === b.size && a.mtimeMs === b.mtimeMs && a.ctimeMs === b.ctimeMs;
