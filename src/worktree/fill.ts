import { readdir, rmdir, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../platform/error.ts';
import { faultPoint } from '../platform/fault.ts';
import { FILLING, inWorktree, type Linked, linkedAt } from '../platform/git/admin.ts';
import { clearLocks, locksBelow } from '../platform/git/locks.ts';
import { withRepo } from '../platform/git/mutex.ts';
import { assertPlain } from '../platform/git/refs.ts';
import { abandoned, addingNote } from '../platform/git/repair.ts';
import { isHalfAdded } from '../platform/git/repository.ts';
import { GitError, git, type Repo, tryGit } from '../platform/git/run.ts';
import { discard } from '../platform/git/trash.ts';
import { limiter } from '../platform/limit.ts';

export interface Start {
  readonly branch: string;
  /** The commit the branch begins at. */
  readonly commit: string;
}

/** Two checkouts at once: 20 worktrees of 1k files took 0.84 s so, 1.22 s all at once, 1.64 s one by one. */
const twoAtOnce = limiter(2);

const TRIES = 5;

/** Registers a new worktree, empty and marked as being filled. The mutex is held for the 10 ms of this, not for the files. */
export async function addWorktree(repo: Repo, path: string, start: Start): Promise<Linked> {
  const args = [
    'worktree',
    'add',
    '-q',
    '--no-checkout',
    '--no-track',
    '--lock',
    '--reason',
    FILLING,
    '-B',
    start.branch,
    path,
    start.commit,
  ];
  await withRepo(repo, async () => {
    const note = await addingNote(repo);
    await writeFile(note, path);
    await rmdir(path).catch(() => {});
    await assertPlain(repo, `refs/heads/${start.branch}`);
    for (let attempt = 1; ; attempt++) {
      const done = await tryGit(repo, args);
      if (done.code === 0) break;
      // A worktree that the user adds by hand at this moment does not know our mutex.
      if (attempt === TRIES || !isHalfAdded(done.stderr)) throw new GitError(args, done);
      await new Promise((again) => setTimeout(again, attempt * (20 + Math.random() * 60)));
    }
    await unlink(note);
  });
  await faultPoint('worktree.added');
  const linked = await linkedAt(repo, path);
  if (!linked?.whole) throw new FurrowError('WORKTREE_LOST', `${path} was added and is not registered`, { hint: 'furrow doctor' });
  return linked;
}

/** Puts the start's files into a worktree just added (or half-filled when we were killed) and takes the mark away. */
export async function fill(repo: Repo, linked: Linked, start: Start, trash: string): Promise<void> {
  await twoAtOnce(() => checkout(repo, linked, start, trash));
  await faultPoint('worktree.filled');
  await unlink(join(linked.admin, 'locked'));
}

/** Moves a kept worktree to a new start. Ignored files stay: they are the warm build state. */
export async function switchTo(repo: Repo, linked: Linked, start: Start, trash: string): Promise<void> {
  await endOperation(linked, trash);
  await twoAtOnce(() => checkout(repo, linked, start, trash));
  await git(repo, ['clean', '-fdq'], inWorktree(repo, linked));
}

async function checkout(repo: Repo, linked: Linked, start: Start, trash: string): Promise<void> {
  await assertPlain(repo, `refs/heads/${start.branch}`);
  const args = ['checkout', '-q', '-f', '-B', start.branch, start.commit, '--'];
  for (let attempt = 1; ; attempt++) {
    await clearOwnLocks(linked, trash);
    const done = await tryGit(repo, args, { ...inWorktree(repo, linked), timeoutMs: 600_000 });
    if (done.code === 0) return;
    if (attempt === 2 || !/\.lock/.test(done.stderr)) throw new GitError(args, done);
  }
}

/** A lock here is a killed git's, or that of one that outlived its killed parent and is about to end. */
async function clearOwnLocks(linked: Linked, trash: string): Promise<void> {
  if ((await locksBelow(linked.admin)).length === 0) return;
  await abandoned([linked.admin]);
  const locks = (await locksBelow(linked.admin)).map((file) => ({ file, folder: linked.admin }));
  const { blocked } = await clearLocks(locks, trash);
  if (blocked[0]) throw new FurrowError('WORKTREE_BUSY', `another git is writing in ${linked.path}`, { hint: `ls -l ${blocked[0]}` });
}

const OPERATION = /^(MERGE_|CHERRY_PICK_HEAD|REVERT_HEAD|REBASE_HEAD|AUTO_MERGE|SQUASH_MSG|BISECT_|rebase-merge$|rebase-apply$|sequencer$)/;

/** Ends a merge or rebase under way by taking its notes away. `rebase --quit` would put an autostash on the user's stash. */
async function endOperation(linked: Linked, trash: string): Promise<void> {
  for (const name of (await readdir(linked.admin)).filter((entry) => OPERATION.test(entry))) {
    await discard(join(linked.admin, name), trash, `${linked.name}-${name}`);
  }
}
