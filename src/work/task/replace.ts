import { randomBytes } from 'node:crypto';
import {
  existsSync,
  fchmodSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { basename, dirname, isAbsolute, join, relative, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isErrno } from '../../platform/error.ts';
import { faultPoint } from '../../platform/fault.ts';
import { closing, onDisk, removeSync, syncFolder } from '../../platform/files.ts';
import { hashOf } from './scan.ts';

export type Replaced = { hash: string } | 'changed' | 'gone';

/**
 * Replaces a file that people and other programs edit without locks: only if it is still the one that was read, and
 * never at the price of their edit.
 *
 * Looking and then renaming over is not enough: an editor that hammered the file lost 13 of 3,000 saves in between. So
 * the file is first moved aside, whatever it is by then; ours takes the name only if nobody else has; and what was moved
 * aside is put back if it turns out to be somebody's edit, even one still being written. The name is free for the time
 * of two system calls; after a kill in that moment `sweepFolder` puts the file back. `onHash` is told the hash of the new
 * file before anybody can read it.
 *
 * The two other files are out of git's sight, or beside this one where nothing can be renamed from there.
 */
export async function replaceIfSame(
  path: string,
  expectedHash: string,
  make: (text: string) => string,
  onHash: (hash: string) => void = () => {},
): Promise<Replaced> {
  const before = readWithStat(path);
  if (!before) return 'gone';
  if (hashOf(before.bytes) !== expectedHash) return 'changed';
  const bytes = Buffer.from(make(before.bytes.toString('utf8')), 'utf8');
  const hash = hashOf(bytes);
  onHash(hash);
  const version = { path, expectedHash, hash, bytes, mode: before.stat.mode };
  const away = madeAway(dirname(path));
  if (away === undefined) return replaceBy(dirname(path), version);
  return replaceBy(away, version).catch((error: unknown) => {
    // Another file system: nothing was moved yet.
    if (isErrno(error, 'EXDEV')) return replaceBy(dirname(path), version);
    throw error;
  });
}

interface Version {
  readonly path: string;
  readonly expectedHash: string;
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** Makes the folder out of git's sight; undefined: there is none, or it cannot be written. */
function madeAway(dir: string): string | undefined {
  const away = outOfSight(dir);
  try {
    if (away !== undefined) mkdirSync(away, { recursive: true });
    return away;
  } catch {
    return undefined;
  }
}

async function replaceBy(folder: string, { path, expectedHash, hash, bytes, mode }: Version): Promise<Replaced> {
  const beside = join(folder, `.${basename(path)}.${nonce()}.tmp`);
  try {
    await writeSynced(beside, bytes, mode);
    await faultPoint('board.beside');
    const asideOf = (was: string) => join(folder, `.${basename(path)}.${was}.${nonce()}.was`);
    const first = exchange(path, { file: beside, hash }, { file: asideOf(expectedHash), hash: expectedHash });
    if (typeof first === 'string') return first;
    if (isUntouched(first.out)) {
      await faultPoint('board.swapped');
      await syncFolder(dirname(path));
    }
    return (await settle(path, first, asideOf)) ? { hash } : 'changed';
  } finally {
    removeSync(beside);
  }
}

const nonce = () => randomBytes(4).toString('hex');

export function readWithStat(path: string): { bytes: Buffer; stat: Stats } | undefined {
  try {
    return { stat: statSync(path), bytes: readFileSync(path) };
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function writeSynced(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const fd = openSync(path, 'wx', 0o600);
  await closing(fd, () => {
    writeFileSync(fd, bytes);
    fchmodSync(fd, mode & 0o777);
    return onDisk(fd);
  });
}

/** A file under a name that only we use, and the hash of its content when it was moved there. */
interface Known {
  readonly file: string;
  readonly hash: string;
}

/** `put` has the path now, `out` had it before. */
interface Exchanged {
  readonly put: Known;
  readonly out: Known;
}

/** Gives the path to another file. Synchronous, so that no other code of ours runs while the name is free. */
function exchange(path: string, put: Known, out: Known): Exchanged | 'changed' | 'gone' {
  try {
    renameSync(path, out.file);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return 'gone';
    throw error;
  }
  if (takeName(put.file, path)) return { put, out };
  // Somebody saved a newer file under this name.
  unlinkSync(out.file);
  return 'changed';
}

/** `false` when somebody else has used that name meanwhile. */
function takeName(beside: string, path: string): boolean {
  try {
    linkSync(beside, path);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    // A file system without hard links.
    renameSync(beside, path);
  }
  return true;
}

/**
 * Handles an edit that came between our reading and the move, or an editor that still writes into the open file: that version gets the name
 * back, and ours is moved away. Ours may have been opened meanwhile, so it is checked in the same way: an edit was lost there in 2 of 4
 * runs on a busy machine. `true`: there was no such edit.
 */
async function settle(path: string, { put, out }: Exchanged, asideOf: (hash: string) => string): Promise<boolean> {
  if (isUntouched(out)) await setTimeout(lateMs());
  if (isUntouched(out)) {
    unlinkSync(out.file);
    return true;
  }
  const edit = { file: out.file, hash: hashOf(readFileSync(out.file)) };
  const back = exchange(path, edit, { file: asideOf(put.hash), hash: put.hash });
  // Somebody removed the file: only the edit is left.
  if (back === 'gone') takeName(edit.file, path);
  rmSync(edit.file, { force: true });
  if (typeof back !== 'string') await settle(path, back, asideOf);
  return false;
}

const isUntouched = ({ file, hash }: Known) => hashOf(readFileSync(file)) === hash;

const LATE_MS = 10;
const LATEST_MS = 250;

/** Opening with truncation waits inside the system while the disk is synced: 5 of 3,000 saves came 10 ms late, and later where processes wait for a core. */
function lateMs(): number {
  return Math.min(LATEST_MS, LATE_MS * Math.max(1, loadavg()[0]! / availableParallelism()));
}

/**
 * The folder for temporary files while a file of `dir` is replaced. It is in the git folder, because `git add -A` found them beside the
 * file and failed when they were gone a moment later ("unable to stat"). `git clean` does not look there either. Undefined: `dir` is in no
 * repository in which a farm has its own folder.
 */
export function outOfSight(dir: string): string | undefined {
  const whole = resolve(dir);
  for (let at = whole; ; at = dirname(at)) {
    const git = gitFolder(at);
    const own = git && join(git, 'furrow.run');
    if (own !== undefined) return existsSync(own) ? join(own, 'board', relative(at, whole)) : undefined;
    if (dirname(at) === at) return undefined;
  }
}

/** `.git`, or the folder that it names. */
function gitFolder(at: string): string | undefined {
  const git = join(at, '.git');
  const found = statSync(git, { throwIfNoEntry: false });
  if (!found || found.isDirectory()) return found && git;
  const [, path] = /^gitdir: (.+)$/m.exec(readFileSync(git, 'utf8')) ?? [];
  if (path === undefined) return undefined;
  return isAbsolute(path) ? path : join(at, path);
}
