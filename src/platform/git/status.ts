import { lstatSync } from 'node:fs';
import { bytePath } from '../files.ts';
import type { Linked } from './admin.ts';
import { inWorktree } from './admin.ts';
import { git, type Repo } from './run.ts';

/**
 * The uncommitted changes in a linked worktree, one porcelain line each, without ignored files. It does not look into submodules: `status`
 * would start a git in each, and that git obeys a configuration the agent may have written. A filter planted so ran on plain `status`, `add
 * -A` and `diff-files`, whatever flags the outer git had.
 */
export async function changes(repo: Repo, linked: Linked): Promise<string[]> {
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal', '--ignore-submodules=dirty'];
  return (await git(repo, args, inWorktree(repo, linked))).split('\0').filter(Boolean);
}

/** True when a named pipe, a socket or a device is at a path (latin1). Git lists it as a changed file but cannot store it. */
export function isSpecial(root: string, path: string): boolean {
  try {
    const found = lstatSync(bytePath(root, path), { throwIfNoEntry: false });
    return found !== undefined && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink();
  } catch {
    // A file is in the place of a folder: nothing is below it.
    return false;
  }
}

/** Files that git itself reads in the folders of a worktree. */
const READ = ['.gitignore', '.gitattributes', '.gitmodules'];

/**
 * The files that git reads on its way and that are a named pipe, as paths (latin1): every git waits there for ever, and ours until its
 * timeout. `folders` are those with a tracked file. Synchronous: asynchronous calls cost 10 times more for 600 files.
 */
export function blockingPipes(root: string, folders: readonly string[]): string[] {
  const paths = folders.flatMap((folder) => READ.map((name) => (folder === '' ? name : `${folder}/${name}`)));
  return paths.filter((path) => isSpecial(root, path));
}
