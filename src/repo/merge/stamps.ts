import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readSmall } from '../../platform/files.ts';
import { fingerprint, refFiles, remoteRefFiles } from '../../platform/fingerprint.ts';
import { linkedWorktrees } from '../../platform/git/admin.ts';
import { type Logged, newestLines, reflog } from '../../platform/git/reflog.ts';
import { git, type Repo, tryGit } from '../../platform/git/run.ts';
import { headRef } from './target-refs.ts';

/** A text that changes whenever somebody moves a branch. */
export const branchStamp = ({ gitDir }: Repo, branch: string): string => fingerprint(...refFiles(gitDir, branch));

/** The same for a branch of a remote, as the user's own git knows it. */
export const remoteStamp = ({ gitDir }: Repo, remote: string, branch: string): string =>
  fingerprint(...remoteRefFiles(gitDir, remote, branch));

/** A text that changes whenever somebody stages something in the checkout, or switches it to another branch. */
export const checkoutStamp = ({ gitDir }: Repo): string => fingerprint(`${gitDir}/index`, `${gitDir}/HEAD`);

/** Reads one small file; if there is none (the ref is packed), nobody has just written it. */
export function isHeadAt({ gitDir }: Repo, target: string, head: string): boolean {
  const file = join(gitDir, headRef(target));
  return !existsSync(file) || readSmall(file)?.trim() === head;
}

/** Files in the git folder of an operation that a person has still to finish. */
const HALF_WAY = ['MERGE_HEAD', 'CHERRY_PICK_HEAD', 'REVERT_HEAD', 'rebase-merge', 'rebase-apply', 'sequencer'];

/** True while a rebase, merge or the like is half done in the checkout. */
export const isHalfWay = ({ gitDir }: Repo): boolean => HALF_WAY.some((name) => existsSync(join(gitDir, name)));

/** The branch of the main worktree, for people. */
export function checkedOut({ gitDir }: Repo): string {
  const head = (readSmall(join(gitDir, 'HEAD')) ?? '').trim();
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1];
  return branch ? `branch ${branch}` : `no branch (${head.slice(0, 8)})`;
}

/** The paths of all files in a tree. */
export async function filesIn(repo: Repo, tree: string): Promise<string[]> {
  return (await git(repo, ['ls-tree', '-r', '-z', '--name-only', '--full-tree', tree])).split('\0').filter(Boolean);
}

/** The commit where work left the head. `null`: they share no history, which the merge will report; `undefined`: git could not tell. */
export async function forkOf(repo: Repo, head: string, sha: string): Promise<string | null | undefined> {
  const base = await tryGit(repo, ['merge-base', head, sha]);
  return base.stdout.split('\n')[0] || (base.code === 1 ? null : undefined);
}

/** The commits that one has and the head has not, children first; none for a commit that does not exist. */
export async function addedTo(repo: Repo, head: string, sha: string): Promise<string[]> {
  return (await tryGit(repo, ['rev-list', '--topo-order', sha, `^${head}`, '--'])).stdout.split('\n').filter(Boolean);
}

/** The newest commits that came with a move, with their subjects. */
export async function subjectsBetween(repo: Repo, from: string, to: string, most: number): Promise<{ commit: string; subject: string }[]> {
  const out = await git(repo, ['log', `--max-count=${most}`, '--format=%H%x00%s', to, `^${from}`, '--']);
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => ({ commit: line.slice(0, line.indexOf('\0')), subject: line.slice(line.indexOf('\0') + 1) }));
}

/** The newest commits of one that none of the others has. */
export async function commitsWithout(repo: Repo, to: string, others: readonly string[], most: number): Promise<string[]> {
  const input = [to, ...others.map((oid) => `^${oid}`)].map((word) => `${word}\n`).join('');
  return (await git(repo, ['rev-list', '--stdin', `--max-count=${most}`], { input })).split('\n').filter(Boolean);
}

/** The newest move of a branch; none where reflogs are off. */
export async function lastMove(repo: Repo, branch: string): Promise<Logged | undefined> {
  return (await reflog(repo, repo.root, `refs/heads/${branch}`, 1))[0];
}

export const subjectOf = (repo: Repo, commit: string): Promise<string> => git(repo, ['show', '-s', '--format=%s', commit]);

/** One line of a reflog. */
export interface Line {
  readonly to: string;
  /** In seconds. */
  readonly at: number;
}

/** The newest moves of a branch, oldest first; none where there is no reflog. */
export const movesOfBranch = ({ gitDir }: Repo, branch: string, most: number): Line[] =>
  linesOf(join(gitDir, 'logs/refs/heads', branch), most);

/** The commits that each checkout was at, oldest first; the main one first, without a path. */
export async function checkoutMoves(repo: Repo, most: number): Promise<{ path: string | null | undefined; lines: Line[] }[]> {
  const places = [{ path: null, admin: repo.gitDir }, ...(await linkedWorktrees(repo))];
  return places.map(({ path, admin }) => ({ path, lines: linesOf(join(admin, 'logs/HEAD'), most) }));
}

const linesOf = (file: string, most: number): Line[] => (newestLines(file, most) ?? []).map(({ oid, at }) => ({ to: oid, at })).reverse();

/** The first-parent commits that one commit has and another has not, oldest first. */
export async function chainBetween(
  repo: Repo,
  from: string,
  to: string,
): Promise<{ commit: string; tree: string; parent: string | undefined }[]> {
  const out = await git(repo, ['log', '--first-parent', '--reverse', '--format=%H %T %P', `${from}..${to}`]);
  return out
    .split('\n')
    .filter(Boolean)
    .map((line) => {
      const [commit = '', tree = '', parent] = line.split(' ');
      return { commit, tree, parent: parent || undefined };
    });
}
