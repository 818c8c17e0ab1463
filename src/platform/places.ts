import { access, constants, writeFile } from 'node:fs/promises';
import { basename, dirname, join, sep } from 'node:path';
import { FurrowError } from './error.ts';
import { privateFolder } from './files.ts';
import { quotedIfNeeded } from './shell.ts';

/**
 * The places where furrow keeps things for a repository: `.furrow` in the main checkout, and `home`, a folder outside of it. Everything
 * below these two is ours; nothing else is. Agents and checks work in `home`: inside the checkout, a program that looks upwards for
 * `node_modules` or a configuration file would find the user's.
 */
export interface Places {
  readonly dir: string;
  readonly home: string;
  readonly run: string;
  /** An attempt's script writes its exit code here; one watcher on this folder sees every end at once. */
  readonly exits: string;
  readonly bin: string;
  readonly logs: string;
  readonly slots: string;
  readonly trash: string;
  /** The trash on the file system of `home`, where `trash` is on another one. */
  readonly farTrash: string;
  readonly worktrees: string;
  /** The files that set-up made; they are cloned into worktrees and slots. */
  readonly templates: string;
  readonly store: string;
}

/** The places of a repository; `home` is the folder that the farm chose, or the usual one. */
export function placesOf(root: string, home = usualHome(root)): Places {
  const dir = join(root, '.furrow');
  const run = join(dir, 'run');
  return {
    dir,
    home,
    run,
    exits: join(run, 'exits'),
    bin: join(run, 'bin'),
    logs: join(dir, 'logs'),
    slots: join(home, 'slots'),
    trash: join(dir, 'trash'),
    farTrash: join(home, 'trash'),
    worktrees: join(home, 'worktrees'),
    templates: join(home, 'templates'),
    store: join(dir, 'store.db'),
  };
}

/** `app.furrow` beside `app`. Without leading dots: test runners, bundlers and servers pass over folders that begin with one. */
export function usualHome(root: string): string {
  return join(dirname(root), `${basename(root).replace(/^\.+/, '')}.furrow`);
}

/** The former place of worktrees and slots, inside the checkout. Farms of that time may still have some there. */
export function formerPlaces(root: string): { worktrees: string; slots: string } {
  return { worktrees: join(root, '.furrow', 'worktrees'), slots: join(root, '.furrow', 'slots') };
}

/** Makes the folders below `.furrow`, and the `.gitignore` that keeps them out of the user's `git status`. */
export async function makePlaces(places: Places): Promise<void> {
  try {
    await privateFolder(places.dir);
    await privateFolder(places.run);
    for (const folder of [places.exits, places.bin, places.logs, places.trash]) await privateFolder(folder);
    await access(places.logs, constants.W_OK);
  } catch (error) {
    if (error instanceof FurrowError) throw error;
    throw new FurrowError('PLACE_UNUSABLE', `furrow cannot write in ${places.dir}: ${(error as Error).message}`, {
      hint: `ls -ld ${quotedIfNeeded(places.dir)}`,
      cause: error,
    });
  }
  await writeFile(join(places.dir, '.gitignore'), '*\n', { flag: 'wx', mode: 0o600 }).catch(() => {});
}

/** True for a path that is another one or lies below it. */
export const isBelow = (path: string, root: string) => path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
