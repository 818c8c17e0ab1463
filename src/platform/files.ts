import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, fsync, openSync, readSync, renameSync, unlinkSync, writeFileSync } from 'node:fs';
import { chmod, type FileHandle, lstat, mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { couldNotLook, FurrowError, isErrno } from './error.ts';
import { quotedIfNeeded } from './shell.ts';

/**
 * Writes beside, fsyncs, renames: a reader, or a crash, or a full disk, finds the old file or the new one, never half
 * of one (a plain write left 4,096 of 20,000 bytes on a full disk). The folder is synced too, so the name survives.
 */
export async function writeWhole(path: string, data: string | Uint8Array, mode = 0o600): Promise<void> {
  const beside = `${path}.${process.pid}.${randomBytes(4).toString('hex')}.tmp`;
  try {
    const fd = openSync(beside, 'wx', mode);
    await closing(fd, () => {
      writeFileSync(fd, data);
      return onDisk(fd);
    });
    renameSync(beside, path);
  } catch (error) {
    removeSync(beside);
    throw error;
  }
  await syncFolder(dirname(path));
}

/** The one step that waits for a disk. The others are synchronous: by a promise each takes 0.1 ms of processor time, and 0.01 without. */
export const onDisk = promisify(fsync);

export async function closing(fd: number, use: () => Promise<void>): Promise<void> {
  try {
    await use();
  } finally {
    closeSync(fd);
  }
}

/** Removes a file if it can. */
export function removeSync(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It is gone, or the next step finds out.
  }
}

async function withFile<T>(path: string, flags: string | number, mode: number, use: (file: FileHandle) => Promise<T>): Promise<T> {
  const file = await open(path, flags, mode);
  try {
    return await use(file);
  } finally {
    await file.close();
  }
}

/** fsync of a folder; file systems that refuse it (EINVAL, EISDIR) have nothing to lose. */
export async function syncFolder(path: string): Promise<void> {
  try {
    const fd = openSync(path, 'r');
    await closing(fd, () => onDisk(fd));
  } catch (error) {
    if (!isErrno(error, 'EINVAL') && !isErrno(error, 'EISDIR') && !isErrno(error, 'EPERM')) throw error;
  }
}

/** A path below a folder, as bytes. `path` is latin1, one character a byte, because a name in git need not be UTF-8; `folder` is ordinary text. */
export const bytePath = (folder: string, path: string): Buffer =>
  path === '' ? Buffer.from(folder) : Buffer.concat([Buffer.from(`${folder}/`), Buffer.from(path, 'latin1')]);

/**
 * The text of a file, or `undefined` when there is none. It opens without blocking: a named pipe in its place would keep us waiting for
 * ever.
 */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    const short = readAtOnce(path, 0);
    if (short !== undefined) return short;
    return await withFile(path, constants.O_RDONLY | constants.O_NONBLOCK, 0, async (file) => {
      const found = await file.stat();
      // A device may have no end.
      const what = found.isFIFO() ? 'a named pipe' : found.isCharacterDevice() ? 'a device' : undefined;
      if (what) throw new FurrowError('NOT_A_FILE', `${path} is ${what}`, { hint: `ls -l ${quotedIfNeeded(path)}` });
      return file.readFile('utf8');
    });
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

/** Every file of git's that is read this way is shorter. An agent can put a file of gigabytes in its place. */
const small = Buffer.allocUnsafeSlow(64 * 1024);

/**
 * The text of a small file that others may have replaced; `undefined` when there is no file that we may read. It reads synchronously, in a
 * quarter of the time and with one descriptor at most. `flags`: `O_NOFOLLOW` refuses a link.
 */
export function readSmall(path: string, flags = 0): string | undefined {
  try {
    return readAtOnce(path, flags);
  } catch (error) {
    if (couldNotLook(error)) throw error;
    return undefined;
  }
}

/** The content, or `undefined` for a large file and for anything that is no plain file. */
function readAtOnce(path: string, flags: number): string | undefined {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | flags);
  try {
    if (!fstatSync(fd).isFile()) return undefined;
    const length = readSync(fd, small, 0, small.length, 0);
    return length < small.length ? small.toString('utf8', 0, length) : undefined;
  } finally {
    closeSync(fd);
  }
}

/** A folder only we may enter: made 0700, and refused when somebody else owns it or it is a link. */
export async function privateFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true, mode: 0o700 });
  const stat = await lstat(path);
  if (!stat.isDirectory() || (process.getuid && stat.uid !== process.getuid())) {
    throw new FurrowError('FOLDER_NOT_OURS', `${path} is not a folder of yours`, { hint: `ls -ld ${quotedIfNeeded(path)}` });
  }
  if ((stat.mode & 0o077) !== 0) await chmod(path, 0o700);
  return path;
}
