import { inWorktree, type Linked } from './admin.ts';
import { isAboutObjects } from './broken-refs.ts';
import { GitError, type GitOptions, type Repo, tryGit } from './run.ts';

/** As git looks itself after a fetch. What the packs of a partial clone promise may be missing. */
const WALK = ['rev-list', '--objects', '--quiet', '--exclude-promisor-objects'];

/**
 * True when git has every object that the indexes of all worktrees name, or that of one, as far as `known` commits do not have it too; those are
 * taken to be whole.
 */
export async function isIndexConnected(repo: Repo, known: readonly string[], linked?: Linked): Promise<boolean> {
  const args = [...WALK, ...(linked ? ['--single-worktree'] : []), '--indexed-objects', '--not', ...known];
  return walks(repo, args, linked ? inWorktree(repo, linked) : {});
}

async function walks(repo: Repo, args: readonly string[], options: GitOptions): Promise<boolean> {
  const done = await tryGit(repo, args, options);
  if (done.code === 0) return true;
  const error = new GitError(args, done);
  if (isAboutObjects(error)) return false;
  throw error;
}
