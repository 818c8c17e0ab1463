import { lstat } from 'node:fs/promises';
import { bytePath } from '../files.ts';
import type { Linked } from './admin.ts';
import { inWorktree } from './admin.ts';
import { type GitOptions, git, type Repo } from './run.ts';

/**
 * What is not committed in a linked worktree, one porcelain line each; ignored files do not count. Without looking into
 * submodules: `status` starts a git in each, and that one obeys a configuration the agent may have written; a filter
 * planted so ran on plain `status`, `add -A` and `diff-files`, whatever flags the outer git had.
 */
export async function changes(repo: Repo, linked: Linked): Promise<string[]> {
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal', '--ignore-submodules=dirty'];
  return (await git(repo, args, inWorktree(repo, linked))).split('\0').filter(Boolean);
}

/** Whether a named pipe, a socket or a device is at a path (latin1): git lists one in place of a tracked file, and can hold none. */
export async function isSpecial(root: string, path: string): Promise<boolean> {
  const found = await lstat(bytePath(root, path)).catch(() => undefined);
  return found !== undefined && !found.isFile() && !found.isDirectory() && !found.isSymbolicLink();
}

/** What git itself reads in the folders of a worktree. */
const READ = ['.gitignore', '.gitattributes', '.gitmodules'];

/**
 * Files that git reads on the way and that are a named pipe, as paths (latin1): every git waits at one for ever, and ours until its
 * time is up. Looked for in each folder that has a tracked file; `ls-files` reads nothing but the index.
 */
export async function blockingPipes(repo: Repo, inside: GitOptions & { cwd: string }): Promise<string[]> {
  const list = (await git(repo, ['ls-files', '-z'], { ...inside, encoding: 'latin1' })).split('\0');
  const folders = new Set(['', ...list.map((path) => path.slice(0, path.lastIndexOf('/') + 1))]);
  const paths = [...folders].flatMap((folder) => READ.map((name) => `${folder}${name}`));
  const found = await Promise.all(paths.map((path) => isSpecial(inside.cwd, path)));
  return paths.filter((_, at) => found[at]);
}
