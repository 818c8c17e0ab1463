import { git, type Repo } from '../../platform/git/run.ts';

/**
 * No driver of the repository is started: neither an external diff nor a text conversion. Plumbing, so that no diff setting
 * of the repository's configuration changes what others read from it.
 */
export const PLAIN_DIFF = ['diff-tree', '-r', '-M', '--no-ext-diff', '--no-textconv', '--submodule=short', '--ignore-submodules=none'];

/** A patch of more changed lines is not made at all. */
const MOST_LINES = 5000;

/** The difference of two commits: as a patch, empty where it is too long to be of use, and as a list of files. */
export async function patchOf(repo: Repo, from: string, to: string): Promise<{ diff: string | undefined; stat: string }> {
  const print = (how: readonly string[]) => git(repo, [...PLAIN_DIFF, ...how, '--end-of-options', from, to]);
  const [stat, counts] = [await print(['--stat=120']), await print(['--numstat'])];
  const changed = [...counts.matchAll(/^(\d+)\t(\d+)\t/gm)].reduce((sum, [, added, removed]) => sum + Number(added) + Number(removed), 0);
  return { diff: changed > MOST_LINES ? undefined : await print(['-p']), stat };
}
