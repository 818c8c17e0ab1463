import { lstat, readdir, stat, unlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { formerPlaces, isBelow, placesOf } from '../places.ts';
import { isAlive, type ProcessId } from '../process/identity.ts';
import { FILLING, type Linked, linkedWorktrees } from './admin.ts';
import { holders } from './holders.ts';
import { pinLost } from './keep.ts';
import { clearLocks, locksBelow } from './locks.ts';
import { ownFolder, withRepo } from './mutex.ts';
import type { Repo } from './run.ts';
import { discard } from './trash.ts';

/** A `worktree add` whose parent was killed needs milliseconds to end; after this we leave its folder alone. */
const ORPHAN_MS = 2_000;

/**
 * Repairs what a kill leaves between a worktree's folder and its registration, for our worktrees (below `roots`): a half-made registration
 * (it makes `worktree list`, `gc` and `branch -D` fail for the whole repository, and `prune` does not see it), a registration without a
 * folder, a folder without its `.git`. Answers sentences about what it did.
 */
export async function repairWorktrees(repo: Repo, roots: readonly string[]): Promise<string[]> {
  return withRepo(repo, () => healWorktrees(repo, roots));
}

/** The folders that our worktrees and check slots are in, or were in before they were moved. */
export function ownRoots(repo: Repo): string[] {
  const [places, former] = [placesOf(repo.root, repo.home), formerPlaces(repo.root)];
  return [places.worktrees, places.slots, former.worktrees, former.slots];
}

async function healWorktrees(repo: Repo, roots: readonly string[]): Promise<string[]> {
  const done: string[] = [];
  const names = await ownNames(roots);
  for (const linked of await linkedWorktrees(repo)) {
    const { path } = linked;
    // Git puts a number behind a name that is taken.
    const ours = path ? roots.some((root) => isBelow(path, root)) : names.has(linked.name) || names.has(linked.name.replace(/\d+$/, ''));
    const said = ours ? await heal(repo, linked) : undefined;
    if (said) done.push(said);
  }
  await dropOldIndexes(repo);
  return done;
}

/** The names that a registration of ours can have when it names no path. */
async function ownNames(roots: readonly string[]): Promise<Set<string>> {
  const names = new Set<string>();
  for (const root of roots) {
    for (const phase of await readdir(root, { withFileTypes: true }).catch(() => [])) {
      names.add(phase.name);
      if (phase.isDirectory()) for (const name of await readdir(join(root, phase.name)).catch(() => [])) names.add(name);
    }
  }
  return names;
}

async function heal(repo: Repo, linked: Linked): Promise<string | undefined> {
  const git = linked.path && (await lstat(join(linked.path, '.git')).catch(() => undefined));
  const folder = linked.path && (await stat(linked.path).catch(() => undefined));
  const halfMade = !linked.whole || linked.locked?.startsWith('initializing');
  if (!halfMade && git) return undefined;
  if (!halfMade && folder && linked.locked !== FILLING) {
    await writeFile(join(linked.path!, '.git'), `gitdir: ${linked.admin}\n`, { flag: 'wx' });
    return `${linked.path} had lost its .git file and has it again`;
  }
  if (!(await abandoned([linked.admin, ...(linked.path ? [linked.path] : [])]))) return undefined;
  await retire(repo, linked, placesOf(repo.root).trash);
  return halfMade ? `the half-made worktree ${linked.name} was taken away` : `${linked.path} is gone and its registration with it`;
}

/** Removes a registration: pins the commits that only it kept, then moves it to the trash with its reflog. */
async function retire(repo: Repo, linked: Linked, trash: string): Promise<void> {
  await pinLost(repo, linked);
  await discard(linked.admin, trash, linked.name);
  // A folder with nothing but its `.git` file, which `worktree add` had begun, would only be in the way.
  const left = linked.path ? await readdir(linked.path).catch(() => []) : [];
  if (linked.path && left.length === 1 && left[0] === '.git') await discard(linked.path, trash, linked.name);
}

/** Waits for an orphaned git to end. There is no event for the end of a process that is not our child. */
export async function abandoned(paths: readonly string[], waitMs = ORPHAN_MS): Promise<boolean> {
  for (const end = Date.now() + waitMs; ; await sleep(25)) {
    if (holders(paths)?.size === 0) return true;
    if (process.platform !== 'linux' || Date.now() > end) return false;
  }
}

/** Removes private index files of a killed snapshot; git's time limit of two minutes bounds their use. */
async function dropOldIndexes(repo: Repo): Promise<void> {
  const folder = await ownFolder(repo);
  for (const name of (await readdir(folder)).filter((n) => n.startsWith('index-'))) {
    const found = await lstat(join(folder, name)).catch(() => undefined);
    if (found && Date.now() - found.ctimeMs > 600_000) await unlink(join(folder, name)).catch(() => {});
  }
}

/**
 * Clears locks that dead gits left in our worktrees' registrations and on our refs. Locks of the user's checkout and refs are reported,
 * never touched. While a journalled git is alive nothing is cleared: the lock may be its own.
 */
export async function reapLocks(
  repo: Repo,
  { trash, journalledPids }: { trash: string; journalledPids: Iterable<ProcessId> },
): Promise<{ reaped: string[]; blocked: string[] }> {
  const roots = ownRoots(repo);
  const candidates: { file: string; folder: string }[] = [];
  for (const linked of await linkedWorktrees(repo)) {
    const { path } = linked;
    if (!path || !roots.some((root) => isBelow(path, root))) continue;
    for (const file of await locksBelow(linked.admin)) candidates.push({ file, folder: linked.admin });
  }
  for (const folder of [join(repo.gitDir, 'refs/heads/furrow'), join(repo.gitDir, 'refs/furrow')]) {
    for (const file of await locksBelow(folder)) candidates.push({ file, folder: file });
  }
  const theirs = await userLocks(repo);
  if ([...journalledPids].some(isAlive)) return { reaped: [], blocked: [...theirs, ...candidates.map(({ file }) => file)] };
  const { reaped, blocked } = await clearLocks(candidates, trash);
  return { reaped, blocked: [...theirs, ...blocked] };
}

async function userLocks(repo: Repo): Promise<string[]> {
  const top = await locksBelow(repo.gitDir, 0);
  const heads = await locksBelow(join(repo.gitDir, 'refs', 'heads'));
  return [...top, ...heads.filter((file) => !isBelow(file, join(repo.gitDir, 'refs/heads/furrow')))];
}
