import { readdir, rename, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import type { Board } from './layout.ts';
import { outOfSight, readWithStat } from './replace.ts';
import { hashOf } from './scan.ts';

/** Removes, or puts back, what a killed daemon left between two steps. The only writer calls it before the first scan. */
export async function sweepBoard(board: Board): Promise<void> {
  const folders = new Set([board.dir, ...board.phases.flatMap((phase) => [phase.dir, phase.tasksDir])]);
  for (const folder of folders) await sweepFolder(folder);
}

export async function sweepFolder(dir: string): Promise<void> {
  const away = outOfSight(dir);
  for (const left of away === undefined ? [dir] : [away, dir]) await sweepLeft(left, dir);
}

/** `left`: the folder of files that were meant for `dir`. */
async function sweepLeft(left: string, dir: string): Promise<void> {
  const names = await readdir(left).catch(() => [] as string[]);
  for (const name of names) {
    const aside = /^\.(.+)\.([0-9a-f]{64})\.[0-9a-f]{8}\.was$/.exec(name);
    if (aside) await settleAside(join(left, name), join(dir, aside[1]!), aside[2]!);
    else if (/^\..+\.[0-9a-f]{8}\.tmp$|^\.\d+\.new$/.test(name)) await unlink(join(left, name));
  }
}

/**
 * Puts a file that was moved aside back if its name is still free. If our file has the name, the old version is dropped, unless its bytes
 * changed since: that is somebody's edit. It goes back if it is newer, else it stays for a person to look at.
 */
async function settleAside(path: string, file: string, hash: string): Promise<void> {
  const [old, now] = [readWithStat(path), readWithStat(file)];
  if (!old) return;
  if (!now) return rename(path, file);
  // The same file under two names: a rename would leave both.
  if (hashOf(old.bytes) === hash || old.stat.ino === now.stat.ino) return unlink(path);
  if (now.stat.mtimeMs <= old.stat.mtimeMs) await rename(path, file);
}
