import { FurrowError } from '../../platform/error.ts';
import { linkedWorktrees } from '../../platform/git/admin.ts';
import { diffPaths } from '../../platform/git/objects.ts';
import { isAncestor, resolve } from '../../platform/git/refs.ts';
import { changes } from '../../platform/git/status.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';
import { named, protectedIn } from '../../repo/change-rules/protected.ts';
import { putBackOn } from '../../repo/merge/put-back.ts';
import { headRef } from '../../repo/merge/target-refs.ts';
import { lastAttemptOn, openAttemptAt } from '../../work/attempt/read.ts';
import { lastAttemptAt } from '../../work/attempt/store.ts';
import { findTaskRow, type Task, takenTasks } from '../../work/task/store.ts';
import { takenOf } from '../../work/task/taken-over.ts';
import type { Farm } from '../farm/farm.ts';
import { protectRules } from '../farm/protect.ts';
import { changedPaths } from '../leader/queue/paths.ts';
import { findTask } from './context.ts';

interface HandIn {
  readonly branch: string;
  readonly sha: string;
  readonly task: Task | undefined;
  /** Paths that are not committed where the branch is checked out: they are no part of it, and stay as they are. */
  readonly uncommitted: number;
  /** It landed before, and its change was taken back since. */
  readonly putBack: boolean;
}

/**
 * Finds the branch and the task that a person hands in. A branch on which an agent or a person worked at a task is that task's; a task named on the target's
 * own branch means the branch of its last work.
 */
export async function handIn(
  farm: Farm,
  said: { branch: string; here: boolean; task: string | undefined; by: 'agent' | 'person' },
): Promise<HandIn> {
  const asked = said.task === undefined ? undefined : await findTask(farm, said.task);
  const branch = asked && said.here && said.branch === farm.target ? await lastBranch(farm, asked) : said.branch;
  if (branch === farm.target)
    throw new FurrowError('IS_TARGET', `${branch} is the target: it cannot land on itself`, { hint: 'git branch' });
  const sha = await resolve(farm.repo, `refs/heads/${branch}`);
  if (!sha) throw new FurrowError('NO_BRANCH', `there is no local branch ${branch}`, { hint: 'git branch' });
  const owner = await taskOn(farm, branch);
  const task = asked ?? owner;
  if (task) await assertFree(farm, task);
  const head = await resolve(farm.repo, headRef(farm.target));
  if (head) await assertUnprotected(farm, { ...said, branch, sha, head });
  const uncommitted = await uncommittedOn(farm, branch);
  const landed = head !== undefined && (await isAncestor(farm.repo, sha, head));
  const putBack = (landed || task?.standing === 'landed') && (await putBackOn(farm.repo, farm.target, sha)) !== undefined;
  if (owner && landed && !putBack)
    throw new FurrowError('NOTHING', `${branch} has no commit that ${farm.target} lacks`, {
      hint: uncommitted > 0 ? 'git add -A, git commit, then furrow submit' : `furrow diff ${owner.id}, or furrow retry ${owner.id}`,
    });
  return { branch, sha, task, uncommitted, putBack };
}

/** Refuses at once what could never land. Paths that are on the target as they are on the branch are no change. */
async function assertUnprotected(
  farm: Farm,
  { by, branch, sha, head }: { by: 'agent' | 'person'; branch: string; sha: string; head: string },
): Promise<void> {
  const changed = (await changedPaths(farm.git, head, sha)) ?? [];
  const found = protectedIn(by, protectRules(farm), changed);
  if (found.length === 0) return;
  // A commit of the person's that the head has not followed yet counts as well.
  const there = [head, `refs/heads/${farm.target}`];
  const apart = await Promise.all(there.map(async (at) => new Set(await diffPaths(farm.repo, at, sha))));
  const left = found.filter((path) => apart.every((paths) => paths.has(path)));
  if (left.length === 0) return;
  throw new FurrowError('PROTECTED', `${branch} changes ${named(left)}, which the queue never lands`, {
    hint: `commit it on ${farm.target} yourself, or take it out of ${branch}; then furrow submit ${quotedIfNeeded(branch)}`,
  });
}

async function lastBranch(farm: Farm, task: Task): Promise<string> {
  const last = await lastAttemptAt(farm.db, task.ref);
  return takenOf(task)?.branch ?? last?.branch ?? farm.target;
}

/** The task that a branch of furrow's was made for. */
async function taskOn(farm: Farm, branch: string): Promise<Task | undefined> {
  if (!branch.startsWith('furrow/')) return undefined;
  const taken = await takenTasks(farm.db);
  const theirs = taken.find((task) => takenOf(task)?.branch === branch);
  if (theirs) return theirs;
  const attempt = await lastAttemptOn(farm.db, branch);
  return attempt && findTaskRow(farm.db, attempt.task);
}

/** An agent that is at it would go on and submit the same task again. */
async function assertFree({ db }: Farm, task: Task): Promise<void> {
  if (task.standing !== 'leased') return;
  const who = (await openAttemptAt(db, task.ref))?.agent ?? 'an agent';
  throw new FurrowError('TASK_BUSY', `${who} is at work on ${task.id}, so its branch cannot be submitted yet`, {
    hint: `furrow take ${task.id} (stops it and gives you its work), then furrow submit --task ${task.id}`,
  });
}

async function uncommittedOn({ repo }: Farm, branch: string): Promise<number> {
  const linked = (await linkedWorktrees(repo)).find((one) => one.whole && one.head === `ref: refs/heads/${branch}`);
  return linked ? (await changes(repo, linked).catch(() => [])).length : 0;
}
