import { readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Board } from './layout.ts';
import { readWithStat } from './replace.ts';
import { hashOf } from './scan.ts';

/** Removes, or puts back, what a killed daemon left between two steps. To be called before the first scan, by the one writer. */
export async function sweepBoard(board: Board): Promise<void> {
  const folders = new Set([board.dir, ...board.phases.flatMap((phase) => [phase.dir, phase.tasksDir])]);
  for (const folder of folders) await sweepFolder(folder);
}

export async function sweepFolder(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => [] as string[]);
  for (const name of names) {
    const aside = /^\.(.+)\.([0-9a-f]{64})\.[0-9a-f]{8}\.was$/.exec(name);
    if (aside) await settleAside(join(dir, name), aside[1]!, aside[2]!);
    else if (/^\..+\.[0-9a-f]{8}\.tmp$|^\.\d+\.new$/.test(name)) await unlink(join(dir, name));
  }
}

/**
 * A file that was moved aside goes back when its name is still free. If ours has the name, the old version is done with,
 * unless its bytes are not the version it was moved aside as: that is somebody's edit, which goes back if it is the
 * newer one and is otherwise left for a person to look at.
 */
async function settleAside(path: string, name: string, hash: string): Promise<void> {
  const file = join(dirname(path), name);
  const [old, now] = [await readWithStat(path), await readWithStat(file)];
  if (!old) return;
  if (!now) return rename(path, file);
  if (hashOf(old.bytes) === hash) return unlink(path);
  if (now.stat.mtimeMs <= old.stat.mtimeMs) await rename(path, file);
}
