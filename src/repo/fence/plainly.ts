import { closeSync, constants, type Dirent, fstatSync, lstatSync, openSync, readdirSync, readFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';

/** Not through a link, and without waiting at a pipe, if that is what an agent put there. */
const PLAINLY = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** A file that an agent may have replaced by anything, opened; undefined: it is no plain file. */
export async function openPlainly(path: string): Promise<FileHandle | undefined> {
  const file = await open(path, PLAINLY).catch(() => undefined);
  if (!file) return undefined;
  if ((await file.stat().catch(() => undefined))?.isFile()) return file;
  await file.close();
  return undefined;
}

/** The bytes of such a file, if they are no more than so many. */
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

/** The names in a folder of an agent's; none if it is a link or anything else. */
export function namesIn(folder: string): Dirent[] {
  try {
    return lstatSync(folder).isDirectory() ? readdirSync(folder, { withFileTypes: true }) : [];
  } catch {
    return [];
  }
}
