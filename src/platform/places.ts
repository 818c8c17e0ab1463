import { access, constants, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from './error.ts';
import { privateFolder } from './files.ts';

/** Where furrow keeps things in a repository. Everything below `.furrow` is ours; nothing outside it is. */
export interface Places {
  readonly dir: string;
  readonly run: string;
  /** An attempt's script leaves its exit code here; one watcher on this folder sees every end at once. */
  readonly exits: string;
  readonly bin: string;
  readonly logs: string;
  readonly slots: string;
  readonly trash: string;
  readonly worktrees: string;
  readonly store: string;
  readonly lock: string;
}

export function placesOf(root: string): Places {
  const dir = join(root, '.furrow');
  const run = join(dir, 'run');
  return {
    dir,
    run,
    exits: join(run, 'exits'),
    bin: join(run, 'bin'),
    logs: join(dir, 'logs'),
    slots: join(dir, 'slots'),
    trash: join(dir, 'trash'),
    worktrees: join(dir, 'worktrees'),
    store: join(dir, 'store.db'),
    lock: join(run, 'daemon.lock'),
  };
}

/** Makes them, and the `.gitignore` that keeps all of it out of the user's `git status`. */
export async function makePlaces(places: Places): Promise<void> {
  try {
    await mkdir(places.dir, { recursive: true });
    await privateFolder(places.run);
    for (const folder of [places.exits, places.bin, places.logs, places.slots, places.trash, places.worktrees])
      await mkdir(folder, { recursive: true });
    await access(places.logs, constants.W_OK);
  } catch (error) {
    if (error instanceof FurrowError) throw error;
    throw new FurrowError('PLACE_UNUSABLE', `furrow cannot write in ${places.dir}: ${(error as Error).message}`, {
      hint: `ls -ld ${places.dir}`,
      cause: error,
    });
  }
  await writeFile(join(places.dir, '.gitignore'), '*\n', { flag: 'wx' }).catch(() => {});
}
