import { readdir, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../../platform/error.ts';
import { faultPoint } from '../../platform/fault.ts';
import { writeWhole } from '../../platform/files.ts';
import { FILLING, inWorktree, type Linked } from '../../platform/git/admin.ts';
import { clearLocks, locksBelow } from '../../platform/git/locks.ts';
import { looseValue } from '../../platform/git/loose-ref.ts';
import { withRepo } from '../../platform/git/mutex.ts';
import { assertPlain, moveRef } from '../../platform/git/refs.ts';
import { register } from '../../platform/git/register.ts';
import { abandoned } from '../../platform/git/repair.ts';
import { GitError, git, type Repo, tryGit } from '../../platform/git/run.ts';
import { changes } from '../../platform/git/status.ts';
import { fillSubmodules, leaveSubmodules } from '../../platform/git/submodules/fill.ts';
import { discard } from '../../platform/git/trash.ts';
import { limiter } from '../../platform/limit.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';

export interface Start {
  readonly branch: string;
  /** The commit the branch begins at. */
  readonly commit: string;
  /** The branch's present commit, if it exists already. */
  readonly tip: string | undefined;
}

/** Two checkouts at a time: 20 worktrees of 1k files took 0.84 s so, 1.22 s all at once, 1.64 s one by one. */
const twoAtOnce = limiter(2);

/** Registers a new worktree, empty and marked as being filled. The mutex is held only for this, not for the files. */
export async function addWorktree(repo: Repo, path: string, start: Start): Promise<Linked> {
  const head = `ref: refs/heads/${start.branch}`;
  const linked = await withRepo(repo, () => register(repo, path, { head, locked: FILLING, sparse: true }));
  await faultPoint('worktree.added');
  return linked;
}

/**
 * Makes a worktree without a branch, at a commit, for a start that is still to come. Half-filled it is marked like any other; filled it is
 * a kept worktree that holds nothing of its own.
 */
export async function addDetached(repo: Repo, path: string, commit: string, trash: string): Promise<void> {
  const linked = await withRepo(repo, () => register(repo, path, { head: commit, locked: FILLING, sparse: true }));
  await twoAtOnce(() => checkout(repo, linked, ['--detach', commit], trash));
  await fillSubmodules(repo, linked, commit);
  await unlink(join(linked.admin, 'locked'));
}

/** Gives a worktree without a branch, which is at the start already, its new branch: one `update-ref`, and no file of it is touched. */
export async function beginBranch(repo: Repo, linked: Linked, { branch, commit }: Start): Promise<void> {
  const ref = `refs/heads/${branch}`;
  if (!(await moveRef(repo, { ref, to: commit, from: null })).moved) throw branchMoved(branch);
  await writeWhole(join(linked.admin, 'HEAD'), `ref: ${ref}\n`, 0o644);
}

const branchMoved = (branch: string) =>
  new FurrowError('BRANCH_MOVED', `${branch} moved while its worktree was made`, { hint: `git log ${branch}` });

/** Writes the start's files into a new worktree (or one that was half filled when we were killed) and removes the mark. */
export async function fill(repo: Repo, linked: Linked, start: Start, trash: string): Promise<void> {
  await twoAtOnce(async () => checkout(repo, linked, await begin(repo, start), trash));
  await fillSubmodules(repo, linked, start.commit, true);
  await faultPoint('worktree.filled');
  await unlink(join(linked.admin, 'locked'));
}

/**
 * Moves a kept worktree to a new start. Ignored files stay, because they keep builds fast. True when git has found nothing else in it,
 * before (`wasClean`) or since.
 */
export async function switchTo(
  repo: Repo,
  linked: Linked,
  start: Start,
  { trash, wasClean }: { readonly trash: string; readonly wasClean: boolean },
): Promise<boolean> {
  await endOperation(linked, trash);
  await leaveSubmodules(repo, linked, start.commit);
  await twoAtOnce(async () => checkout(repo, linked, await begin(repo, start), trash));
  await fillSubmodules(repo, linked, start.commit);
  if (wasClean || (await changes(repo, linked)).length === 0) return true;
  await git(repo, ['clean', '-fdq'], inWorktree(repo, linked));
  return false;
}

/**
 * The last words of a checkout that begins a branch at its start. It does not use `-B`: for a symbolic ref that moves the branch behind it.
 * If the branch exists already, we move it.
 */
async function begin(repo: Repo, { branch, commit, tip }: Start): Promise<string[]> {
  const ref = `refs/heads/${branch}`;
  assertPlain(repo, ref);
  const at = looseValue(repo.gitDir, ref) ?? tip;
  if (at === undefined) return ['--no-track', '-b', branch, commit];
  const moved = at === commit || (await moveRef(repo, { ref, to: commit, from: at })).moved;
  if (!moved) throw branchMoved(branch);
  return [branch];
}

async function checkout(repo: Repo, linked: Linked, where: readonly string[], trash: string): Promise<void> {
  // It was asked before whether another worktree has it checked out; a registration without a folder does not count.
  const args = ['checkout', '-q', '-f', '--ignore-other-worktrees', ...where, '--'];
  for (let attempt = 1; ; attempt++) {
    await clearOwnLocks(linked, trash);
    const done = await tryGit(repo, args, { ...inWorktree(repo, linked), timeoutMs: 600_000 });
    if (done.code === 0) return;
    if (attempt === 2 || !/\.lock/.test(done.stderr)) throw new GitError(args, done);
  }
}

/** A lock here was left by a killed git, or belongs to one that outlived its killed parent and is about to end. */
async function clearOwnLocks(linked: Linked, trash: string): Promise<void> {
  if ((await locksBelow(linked.admin)).length === 0) return;
  await abandoned([linked.admin]);
  const locks = (await locksBelow(linked.admin)).map((file) => ({ file, folder: linked.admin }));
  const { blocked } = await clearLocks(locks, trash);
  if (blocked[0])
    throw new FurrowError('WORKTREE_BUSY', `another git is writing in ${linked.path}`, { hint: `ls -l ${quotedIfNeeded(blocked[0])}` });
}

const OPERATION = /^(MERGE_|CHERRY_PICK_HEAD|REVERT_HEAD|REBASE_HEAD|AUTO_MERGE|SQUASH_MSG|BISECT_|rebase-merge$|rebase-apply$|sequencer$)/;

/** Ends a merge or rebase under way by removing its files. `rebase --quit` would put an autostash on the user's stash. */
async function endOperation(linked: Linked, trash: string): Promise<void> {
  for (const name of (await readdir(linked.admin)).filter((entry) => OPERATION.test(entry))) {
    await discard(join(linked.admin, name), trash, `${linked.name}-${name}`);
  }
}
