import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { readIfThere } from '../../platform/files.ts';
import { linkedWorktrees } from '../../platform/git/admin.ts';
import { type GitAtWork, gitsAtWork, switches, writes } from '../../platform/git/at-work.ts';
import { lockingGit } from '../../platform/git/own-locks.ts';
import { operationInProgress } from '../../platform/git/repository.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { worktrees } from '../../platform/git/worktrees.ts';
import { isBelow } from '../../platform/places.ts';
import { type Refusal, refusal } from './checkout-refusal.ts';

/** A worktree and its own git folder, where its index is. */
export interface Checkout {
  readonly path: string;
  readonly gitDir: string;
}

/** The owner of one of furrow's worktrees: an agent, or a slot for checks. `busy`: work goes on in it. */
export interface Keeper {
  readonly name: string;
  readonly agent?: string;
  readonly busy: boolean;
}

export type KeeperOf = (path: string) => Keeper | undefined;

/** Every worktree of the repository, sorted by its relation to one branch. */
export interface Checkouts {
  /** The user's worktrees that have the branch checked out: these follow it. */
  readonly on: readonly Checkout[];
  /** The user's worktrees on another branch or on none. A person may switch one to the branch at any time. */
  readonly off: readonly Checkout[];
  /** furrow's own worktrees that have the branch checked out. */
  readonly kept: readonly (Checkout & { readonly keeper: Keeper })[];
}

/** Sorts the worktrees by their relation to a branch. A refusal: an operation on it is half done. */
export async function checkoutsOf(repo: Repo, ref: string, keeperOf: KeeperOf = () => undefined): Promise<Checkouts | Refusal> {
  const admins = new Map((await linkedWorktrees(repo)).map(({ path, admin }) => [path, admin]));
  const found = { on: [] as Checkout[], off: [] as Checkout[], kept: [] as (Checkout & { keeper: Keeper })[] };
  for (const { path, branch, prunable, locked } of await worktrees(repo)) {
    if (prunable) continue;
    const keeper = keeperOf(path);
    if (keeper && branch !== ref) continue;
    if (!existsSync(join(path, '.git'))) {
      if (branch === ref) return notThere(ref, path, locked);
      continue;
    }
    const gitDir =
      path === repo.root ? repo.gitDir : (admins.get(path) ?? (await git(repo, ['rev-parse', '--absolute-git-dir'], { cwd: path })));
    if (keeper) found.kept.push({ path, gitDir, keeper });
    else if (branch === ref) found.on.push({ path, gitDir });
    else found.off.push({ path, gitDir });
    const busy = keeper ? undefined : await operationOn(ref, { path, gitDir }, branch);
    if (busy) return refusal(busy);
  }
  return found;
}

/**
 * A worktree that is not there, on a disk that is not mounted, say: its files cannot follow, and its next commit would undo the landing.
 */
function notThere(ref: string, path: string, locked: string | null): Refusal {
  const why = locked ? `locked: ${locked}` : 'locked';
  const give = `git worktree unlock ${path}, then git worktree prune`;
  return refusal(
    `${path} has ${ref.replace(/^refs\/heads\//, '')} checked out and is not there (${why}); mount it, or give it up with: ${give}`,
  );
}

/** A half-done operation of a worktree that concerns the branch, as the end of a sentence. */
async function operationOn(ref: string, { path, gitDir }: Checkout, branch: string | null): Promise<string | undefined> {
  const short = ref.replace(/^refs\/heads\//, '');
  const operation = await detachedOperation(gitDir);
  if (operation?.branches.includes(ref)) return `${operation.name} of ${short} in progress in ${path}`;
  if (branch !== ref) return undefined;
  const name = operationInProgress(gitDir);
  return name && name !== 'index.lock' ? `${name} in progress in ${path}` : undefined;
}

/** The gits that a publication must wait for: those that write in a checkout of the branch, or may be switching to it elsewhere. */
export function crossing({ on, off }: Checkouts, keeperOf: KeeperOf = () => undefined): GitAtWork[] {
  return gitsAtWork().filter((one) => {
    if (!writes(one) || keeperOf(one.cwd)) return false;
    const inside = ({ path, gitDir }: Checkout) => isBelow(one.cwd, path) || isBelow(one.cwd, gitDir);
    // The innermost counts: a worktree may be inside another.
    const place = [...on, ...off].filter(inside).sort((a, b) => b.path.length - a.path.length)[0];
    return place !== undefined && (on.includes(place) || switches(one));
  });
}

/** Says which git a publication waits for. */
export function waitsFor({ verb, pid, cwd }: GitAtWork): Refusal {
  return { ...refusal(`git ${verb} (pid ${pid}) is at work in ${cwd}`), brief: true };
}

/**
 * Deals with furrow's worktrees that have the branch checked out, for example after an agent typed `git switch main`. Where nobody works,
 * HEAD is detached at the same commit: no file and no index changes, and the branch is free. Where an agent works nothing is touched, and
 * the branch must not move either: the agent's next commit would undo the landing.
 */
export async function freeKept(repo: Repo, ref: string, { kept }: Checkouts): Promise<Refusal | undefined> {
  for (const { path, gitDir, keeper } of kept) {
    const short = ref.replace(/^refs\/heads\//, '');
    if (keeper.busy) return { ...refusal(`${keeper.name} has ${short} checked out in its worktree ${path}`), keeper };
    const at = await git(repo, ['rev-parse', '--verify', 'HEAD'], { cwd: path });
    const args = ['update-ref', '--no-deref', '-m', `furrow: leave ${short}`, 'HEAD', at, at];
    const done = await lockingGit(repo, [join(gitDir, 'HEAD.lock')], args, { cwd: path });
    if (done.code !== 0) return { ...refusal(`${keeper.name} has ${short} checked out in ${path}: ${done.stderr.trim()}`), keeper };
  }
  return undefined;
}

/** An unfinished operation of a worktree, and the full refs of the branches that it will move or check out when it ends. */
interface Operation {
  readonly name: 'rebase' | 'bisect';
  readonly branches: readonly string[];
}

/**
 * Finds an operation that detaches HEAD and later returns to a branch. Git shows such a worktree as detached, but `rebase --continue` moves
 * the branch from its value at the start, and `--abort` puts it back there.
 */
async function detachedOperation(gitDirOfWorktree: string): Promise<Operation | undefined> {
  const read = async (file: string) => (await readIfThere(join(gitDirOfWorktree, file)).catch(() => undefined))?.trim();
  const [merge, apply, others, bisect] = await Promise.all(
    ['rebase-merge/head-name', 'rebase-apply/head-name', 'rebase-merge/update-refs', 'BISECT_START'].map(read),
  );
  const rebased = [merge, apply, ...(others?.split('\n') ?? [])].flatMap((line) => (line?.startsWith('refs/') ? [line] : []));
  if (rebased.length > 0) return { name: 'rebase', branches: rebased };
  return bisect ? { name: 'bisect', branches: [bisect.startsWith('refs/') ? bisect : `refs/heads/${bisect}`] } : undefined;
}
