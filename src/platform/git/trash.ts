import { lstat, mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError, isErrno } from '../error.ts';
import { exec } from '../exec.ts';
import { isBelow, placesOf } from '../places.ts';
import { quotedIfNeeded } from '../shell.ts';
import type { Repo } from './run.ts';

let count = 0;

/** A free place in the trash. Its name begins with the time, by which the trash is emptied later. */
export async function trashPlace(trash: string, name: string): Promise<string> {
  await mkdir(trash, { recursive: true, mode: 0o700 });
  const place = join(trash, `${Date.now()}-${process.pid}.${count++}-${name}`);
  await mkdir(place, { mode: 0o700 });
  return place;
}

/** Moves a file or folder into the trash. We delete nothing at once, and a rename takes no time. */
export async function discard(path: string, trash: string, name: string): Promise<string> {
  const to = join(await trashPlace(trash, name), 'it');
  await moveAway(path, to);
  return to;
}

/**
 * The trash on the file system of a worktree or slot, so that a rename suffices. Between file systems each file would be copied, which
 * takes seconds under the repository's mutex and fails for a socket, for example.
 */
export async function trashNear(repo: Repo, path: string): Promise<string> {
  const places = placesOf(repo.root, repo.home);
  if (!isBelow(path, places.home)) return places.trash;
  const [there, here] = await Promise.all([path, places.dir].map((one) => lstat(one).catch(() => undefined)));
  return !there || there.dev === here?.dev ? places.trash : places.farTrash;
}

/** Renames; between file systems it copies everything first, then removes the original. */
export async function moveAway(from: string, to: string): Promise<void> {
  await rename(from, to).catch(async (error: unknown) => {
    if (!isErrno(error, 'EXDEV')) throw error;
    // Not node's `cp`: it refuses named pipes and sockets.
    const copied = await run(['cp', '-a', '--', from, to]);
    if (copied.code !== 0)
      throw new FurrowError('MOVE_FAILED', `${from} cannot be copied to ${to}: ${copied.stderr.split('\n')[0]}`, { hint: 'df -h; df -i' });
    await remove(from);
  });
}

/** Deletes a folder, whatever is in it: node fails on folders that nobody may enter and on paths past 4,096 bytes. */
export async function remove(path: string): Promise<void> {
  await rm(path, { recursive: true, force: true }).catch(async () => {
    await run(['chmod', '-R', 'u+rwX', '--', path]);
    const removed = await run(['rm', '-rf', '--', path]);
    if (removed.code !== 0)
      throw new FurrowError('REMOVE_FAILED', `${path} cannot be removed: ${removed.stderr.split('\n')[0]}`, {
        hint: `ls -lR ${quotedIfNeeded(path)}`,
      });
  });
}

const run = (argv: [string, ...string[]]) =>
  exec(argv, { env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C' }, timeoutMs: 600_000 });
