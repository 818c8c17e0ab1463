import { treeOf } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';
import { type Merged, mergeTree } from './merge-tree.ts';
import { draft, writeCommits } from './write-commits.ts';

const FURROW = { name: 'furrow', email: 'furrow@localhost' };

/**
 * A three-way merge from a base of our choice, for example to take back a landing (its tree is the base, its parent `theirs`). All three
 * may be commits or trees. `merge-tree --merge-base` needs git 2.40; three commits made for the purpose work with every git.
 */
export async function mergeWithBase(repo: Repo, sides: { base: string; ours: string; theirs: string; target: string }): Promise<Merged> {
  const trees = await Promise.all([sides.base, sides.ours, sides.theirs].map((rev) => treeOf(repo, rev)));
  const [base = '', ours = '', theirs = ''] = trees;
  const details = { message: 'a side of a merge\n', author: FURROW, committer: FURROW, at: 0 };
  const root = draft({ ...details, tree: base, parents: [] });
  const [one, two] = [ours, theirs].map((tree) => draft({ ...details, tree, parents: [root.id] }));
  await writeCommits(repo, [root, one!, two!]);
  return mergeTree(repo, { ours: one!.id, target: sides.target }, two!.id);
}
