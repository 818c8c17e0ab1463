import { isAncestor, resolve, treeOf } from '../../platform/git/refs.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { mergeTree } from './merge-tree.ts';
import { putBack } from './put-back.ts';
import { shadowRef } from './shadow.ts';
import { headRef } from './target-refs.ts';

/** A commit whose work a target lacks. */
export interface Unlanded {
  readonly sha: string;
  /** The number of commits that it brings. */
  readonly commits: number;
}

/**
 * The commits whose change the target lacks, in the given order. A commit that conflicts counts, and so does one that landed and was taken
 * back; a commit inside another of them is left out.
 */
export async function unlandedOf(repo: Repo, target: string, shas: readonly string[]): Promise<Unlanded[]> {
  const head = (await resolve(repo, headRef(target))) ?? (await resolve(repo, `refs/heads/${target}`));
  if (head === undefined) return [];
  const ours = (await resolve(repo, shadowRef(target))) ?? head;
  const tree = await treeOf(repo, head);
  const found: Unlanded[] = [];
  for (const sha of new Set(shas)) {
    const without = [head, ours, ...found.map((one) => one.sha)];
    const commits = Number(await git(repo, ['rev-list', '--count', sha, ...without.map((one) => `^${one}`), '--']));
    if (commits === 0) {
      const inside = found.length > 0 && (await isAncestor(repo, sha, found[0]!.sha));
      const gone = inside ? undefined : await putBack(repo, { target, head, ours, tree }, sha);
      if (gone) found.push({ sha, commits: Number(await git(repo, ['rev-list', '--count', sha, `^${gone.fork}`, '--'])) });
      continue;
    }
    const merged = await mergeTree(repo, { ours, target }, sha);
    if (merged.kind === 'merged' && merged.output.clean && merged.output.tree === tree) continue;
    found.push({ sha, commits });
  }
  return found;
}
