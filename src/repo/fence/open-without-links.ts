import { closeSync, constants, type Dirent, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Opens no link and does not wait at a pipe, in case an agent put one there. */
const PLAINLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** Opens a file that an agent may have replaced by anything; undefined when it is no plain file. */
export async function openPlainly(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, PLAINLY).catch(() => undefined);
  if (!file) return undefined;
  if ((await file.stat().catch(() => undefined))?.isFile()) return file;
  await file.close();
  return undefined;
}

/** The bytes of such a file, if it is not larger than `most`. */
export function readPlainly(path: string, most: number): Buffer | undefined {
  let fd: number | undefined;
  try {
    fd = openSync(path, PLAINLY);
    const found = fstatSync(fd);
    return found.isFile() && found.size <= most ? readFileSync(fd) : undefined;
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

/** The names in an agent's folder; none if it is a link or anything else. */
export function namesIn(folder: string): Dirent[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder, { withFileTypes: true }) : [];
  } catch {
    return [];
  }
}
