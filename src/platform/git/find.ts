import { lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

/** The first folder upwards that has a `.git`, and where that leads. */
export interface Found {
  readonly folder: string;
  /** The git folder of the worktree. */
  readonly here: string;
  /** The git folder that all worktrees share. */
  readonly gitDir: string;
}

/** Looks as git does, by reading a few files. Running git would read the repository's configuration, and cost 3 ms and a fork. */
export function findGit(from: string): Found | undefined {
  for (let folder = realFolder(from); folder !== undefined; folder = parent(folder)) {
    const here = gitDirIn(folder);
    if (here === undefined) continue;
    const shared = read(join(here, 'commondir'))?.trim();
    return { folder, here, gitDir: shared === undefined ? here : resolve(here, shared) };
  }
  return undefined;
}

/**
 * The main checkout of a git folder that is kept apart (`--separate-git-dir`). A linked worktree cannot find it by git, so it is where the
 * farm last started. Anybody may have written that file, so the folder must lead back to this git folder.
 */
export function recordedCheckout(gitDir: string): string | undefined {
  const root = rootIn(read(join(gitDir, 'furrow.run', 'farm.json')) ?? '');
  return root !== undefined && leadsBack(root, gitDir) ? root : undefined;
}

function rootIn(farm: string): string | undefined {
  try {
    const { root } = JSON.parse(farm) as { root?: unknown };
    return typeof root === 'string' ? root : undefined;
  } catch {
    return undefined;
  }
}

/** True of the main checkout: its `.git` is this git folder, and not that of a linked worktree. */
export function leadsBack(folder: string, gitDir: string): boolean {
  const found = findGit(folder);
  return found?.folder === folder && found.here === found.gitDir && realFolder(found.gitDir) === realFolder(gitDir);
}

function gitDirIn(folder: string): string | undefined {
  const path = join(folder, '.git');
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (!stat) return undefined;
  const named = stat.isFile() ? /^gitdir: (.+)$/m.exec(read(path) ?? '')?.[1]?.trim() : '.git';
  if (named === undefined) return undefined;
  const gitDir = resolve(folder, named);
  return read(join(gitDir, 'HEAD')) === undefined ? undefined : gitDir;
}

/** True for the content of `HEAD` that git accepts; with anything else the folder is no repository for it. */
export const isHead = (text: string): boolean => /^(?:ref:\s*refs\/|[0-9a-f]{40})/.test(text);

/** True for a folder that is a git folder itself. */
export const isGitFolder = (folder: string): boolean => ['HEAD', 'objects', 'refs'].every((name) => isThere(join(folder, name)));

/** False also for a name that no file can have: the content of a file may have been taken for a name. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

function realFolder(from: string): string | undefined {
  try {
    return realpathSync.native(from);
  } catch {
    return undefined;
  }
}

function parent(folder: string): string | undefined {
  const up = dirname(folder);
  return up === folder ? undefined : up;
}

/** No file of git's that is read this way is larger. */
const LARGEST = 1024 * 1024;

/** Reads a plain file only: at a named pipe a command would wait for ever. */
export function read(path: string): string | undefined {
  try {
    const found = statSync(path);
    return found.isFile() && found.size <= LARGEST ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}
