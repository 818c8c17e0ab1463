import { cp, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrno } from '../error.ts';

let count = 0;

/** A place in the trash nobody else has; its name begins with the time, by which it is emptied later. */
export async function trashPlace(trash: string, name: string): Promise<string> {
  await mkdir(trash, { recursive: true });
  const place = join(trash, `${Date.now()}-${process.pid}.${count++}-${name}`);
  await mkdir(place);
  return place;
}

/** Moves a file or folder into the trash. Nothing of ours deletes at once; a rename also costs no time in a spawn. */
export async function discard(path: string, trash: string, name: string): Promise<string> {
  const to = join(await trashPlace(trash, name), 'it');
  await moveAway(path, to);
  return to;
}

/** A rename; between file systems a whole copy first and the removal after. */
export async function moveAway(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: unknown) => {
    if (!isErrno(error, 'EXDEV')) throw error;
    await cp(from, to, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    await rm(from, { recursive: true });
  });
}
