import type { Linked } from './admin.ts';
import { inWorktree } from './admin.ts';
import { git, type Repo } from './run.ts';

/**
 * What is not committed in a linked worktree, one porcelain line each; ignored files do not count. Without looking into
 * submodules: `status` starts a git in each, and that one obeys a configuration the agent may have written; a filter
 * planted so ran on plain `status`, `add -A` and `diff-files`, whatever flags the outer git had.
 */
export async function changes(repo: Repo, linked: Linked): Promise<string[]> {
  const args = ['status', '--porcelain', '-z', '--no-renames', '--untracked-files=normal', '--ignore-submodules=dirty'];
  return (await git(repo, args, inWorktree(repo, linked))).split('\0').filter(Boolean);
}
