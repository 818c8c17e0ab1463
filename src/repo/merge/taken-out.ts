import { mergeOne } from '../../platform/git/merge-tree.ts';
import { commitTree } from '../../platform/git/objects.ts';
import { listRefs, treeOf } from '../../platform/git/refs.ts';
import { git, type Repo, tryGit } from '../../platform/git/run.ts';
import { DIVERGED } from './adopt.ts';
import { type Carried, carriedBy } from './unpublished.ts';

/** A person's commit that was on a target and no longer is. */
export interface TakenOut {
  readonly commit: string;
  readonly subject: string;
}

const FORMAT = '%H%x00%(trailers:key=Furrow-Task,key=Furrow-Branch,valueonly,separator=%x2C)%x00%s';

/**
 * Commits that a person took out of a target by a reset, an amended commit or a rebase, found by the heads that are pinned whenever that
 * happens. Landings are not among them: the store knows those.
 */
export async function takenOut(repo: Repo, head: string): Promise<Map<string, TakenOut>> {
  const pins = await listRefs(repo, DIVERGED);
  if (pins.length === 0) return new Map();
  const input = [...pins.map(({ oid }) => oid), `^${head}`].join('\n');
  const out = await git(repo, ['log', '--first-parent', `--format=${FORMAT}`, '--stdin'], { input: `${input}\n` });
  const rows = out.split('\n').map((line) => line.split('\0'));
  return new Map(rows.flatMap(([commit, landed, subject]) => (commit && !landed ? [[commit, { commit, subject: subject ?? '' }]] : [])));
}

/** Landings that were on the target, and the commits that a rebase or an amended message made of them, with the tasks that each brings. */
export async function landingsTakenOut(repo: Repo, head: string): Promise<Carried> {
  const pins = await listRefs(repo, DIVERGED);
  return carriedBy(
    repo,
    pins.map(({ oid }) => oid),
    head,
  );
}

const NOBODY = { name: 'furrow', email: 'furrow@localhost' };

/**
 * The commit that merging a branch into the head would bring back: the newest one below the branch that was taken out. A branch may well
 * start on such a commit, as after every `git commit --amend`; so only a merge that gives another tree than the branch's own changes
 * counts. A merge that conflicts is reported as such.
 */
export async function bringsBack(repo: Repo, head: string, sha: string, out: ReadonlyMap<string, TakenOut>): Promise<TakenOut | undefined> {
  if (out.size === 0) return undefined;
  const added = await tryGit(repo, ['rev-list', '--topo-order', sha, `^${head}`, '--']);
  const below = added.stdout.split('\n').find((commit) => out.has(commit));
  if (below === undefined) return undefined;
  const merged = (await mergeOne(repo, head, sha)).answer;
  if (!merged?.clean) return undefined;
  // With the commit as its only parent, the head's tree is merged as if both sides started there (`--merge-base` needs git 2.40).
  const since = { tree: await treeOf(repo, head), parents: [below], message: 'the head\n', author: NOBODY, committer: NOBODY, at: 0 };
  const own = (await mergeOne(repo, await commitTree(repo, since), sha)).answer;
  return own?.clean && own.tree === merged.tree ? undefined : out.get(below);
}
