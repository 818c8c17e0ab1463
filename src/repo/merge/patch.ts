import { git, type Repo } from '../../platform/git/run.ts';

/**
 * Starts no driver of the repository, neither an external diff nor a text conversion. It is a plumbing command, so no diff setting of the
 * repository changes its output.
 */
export const PLAIN_DIFF = ['diff-tree', '-r', '-M', '--no-ext-diff', '--no-textconv', '--submodule=short', '--ignore-submodules=none'];

/** No patch is made for more changed lines. */
const MOST_LINES = 5000;

/** The difference of two commits: as a patch (empty when it is too long to be useful) and as a list of files. */
export async function patchOf(repo: Repo, from: string, to: string): Promise<{ diff: string | undefined; stat: string }> {
  const print = (how: readonly string[]) => git(repo, [...PLAIN_DIFF, ...how, '--end-of-options', from, to]);
  const [stat, counts] = [await print(['--stat=120']), await print(['--numstat'])];
  const changed = [...counts.matchAll(/^(\d+)\t(\d+)\t/gm)].reduce((sum, [, added, removed]) => sum + Number(added) + Number(removed), 0);
  return { diff: changed > MOST_LINES ? undefined : await print(['-p']), stat };
}
