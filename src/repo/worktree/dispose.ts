import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { faultPoint } from '../../platform/fault.ts';
import { canonical, inWorktree, type Linked, linkedAt } from '../../platform/git/admin.ts';
import { inhabitants } from '../../platform/git/holders.ts';
import { pinLost } from '../../platform/git/keep.ts';
import { mergeOne } from '../../platform/git/merge-tree.ts';
import { withRepo } from '../../platform/git/mutex.ts';
import { deleteRefs, isAncestor, listRefs, type RefValue, resolve, treeOf } from '../../platform/git/refs.ts';
import { operationInProgress } from '../../platform/git/repository.ts';
import { git, type Repo, tryGit } from '../../platform/git/run.ts';
import { changes } from '../../platform/git/status.ts';
import { changedSubmodules } from '../../platform/git/submodules/changed.ts';
import { filledIn, noteFilled } from '../../platform/git/submodules/place.ts';
import { moveAway, remove, trashNear, trashPlace } from '../../platform/git/trash.ts';
import type { Places } from '../../platform/places.ts';
import { assertOurs, ownWorktree } from './own.ts';

export interface Landed {
  /** The target's commit. */
  readonly target: string;
  /** Refs (or commits) whose history has landed too; by default the verified chains ahead of their targets. */
  readonly landedRefs?: readonly string[];
}

type Disposable = { ok: true; landed: RefValue[] } | { ok: false; reason: string };

/**
 * Tells if everything that a worktree holds is also elsewhere. If something cannot be read, the answer is no. `landed` names its branch,
 * which may go with it. Ignored files do not count; `toTrash` keeps them as long as the trash is kept.
 */
export async function disposable(repo: Repo, path: string, landed: Landed): Promise<Disposable> {
  try {
    const linked = await ownWorktree(repo, path);
    const reason =
      (await held(linked)) ??
      (await uncommitted(repo, linked)) ??
      (await submodule(repo, linked)) ??
      (await unlanded(repo, linked, landed)) ??
      inhabited(linked);
    return reason ? { ok: false, reason } : { ok: true, landed: await ownBranch(repo, linked) };
  } catch (error) {
    return { ok: false, reason: error instanceof Error ? error.message : String(error) };
  }
}

async function held({ locked, admin }: Linked): Promise<string | undefined> {
  if (locked !== undefined) return `it is locked: ${locked || 'no reason given'}`;
  const operation = operationInProgress(admin);
  return operation && `a ${operation} is under way`;
}

async function uncommitted(repo: Repo, linked: Linked): Promise<string | undefined> {
  const found = await changes(repo, linked);
  const untracked = found.filter((line) => line.startsWith('??')).length;
  const changed = found.length - untracked;
  if (changed > 0) return `${changed} uncommitted ${changed === 1 ? 'change' : 'changes'}`;
  return untracked > 0 ? `${untracked} untracked ${untracked === 1 ? 'path' : 'paths'}` : undefined;
}

/** A submodule that somebody else cloned counts as in use: looking inside would run git under a configuration that the agent may have written. */
async function submodule(repo: Repo, linked: Linked): Promise<string | undefined> {
  const [filled, changed] = [await filledIn(repo, linked.name), await changedSubmodules(repo, linked)];
  if (changed[0] !== undefined) return `the submodule ${changed[0]} was changed in it`;
  const entries = (await git(repo, ['ls-files', '-z', '--stage'], inWorktree(repo, linked))).split('\0');
  for (const entry of entries.filter((line) => line.startsWith('160000 '))) {
    const name = entry.slice(entry.indexOf('\t') + 1);
    if (filled.some(({ path }) => path === name)) continue;
    if (await lstat(join(linked.path ?? '', name, '.git')).catch(() => undefined)) return `the submodule ${name} is checked out in it`;
  }
  return undefined;
}

async function unlanded(repo: Repo, linked: Linked, landed: Landed): Promise<string | undefined> {
  const head = await tryGit(repo, ['rev-parse', '--verify', 'HEAD^{commit}'], inWorktree(repo, linked));
  if (head.code !== 0) return 'its HEAD cannot be read';
  const commit = head.stdout.trim();
  // The history of a squashed landing does not have the submitted commits; its shadow does.
  const refs = async () => [...(await listRefs(repo, 'refs/furrow/head/')), ...(await listRefs(repo, 'refs/furrow/shadow/'))];
  const chains = landed.landedRefs ?? (await refs()).map(({ oid }) => oid);
  for (const place of [landed.target, ...chains]) {
    const at = await resolve(repo, place);
    if (at && ((await isAncestor(repo, commit, at)) || (await contains(repo, at, commit)))) return undefined;
  }
  return linked.head.startsWith('ref: ')
    ? `${linked.head.slice('ref: refs/heads/'.length)} has not landed`
    : 'its detached HEAD has not landed';
}

/** True when merging it changes nothing: squashed or picked, its content is there. */
async function contains(repo: Repo, target: string, commit: string): Promise<boolean> {
  const { answer } = await mergeOne(repo, target, commit);
  return answer?.clean === true && answer.tree === (await treeOf(repo, target));
}

function inhabited({ path, admin }: Linked): string | undefined {
  const inside = [inhabitants(path ?? ''), inhabitants(admin)].flat();
  if (inside.includes(undefined)) return 'this machine does not tell which processes work in it';
  return inside.length > 0 ? `process ${inside[0]} works in it` : undefined;
}

async function ownBranch(repo: Repo, { head }: Linked): Promise<RefValue[]> {
  const ref = head.replace(/^ref: /, '');
  const oid = ref.startsWith('refs/heads/furrow/') ? await resolve(repo, ref) : undefined;
  return oid ? [{ ref, oid }] : [];
}

/**
 * Removes a worktree: pins what only it keeps, moves its folder and its registration into the trash, and deletes the given branches, which
 * must have landed, if they have not moved. It unregisters only this one: `worktree prune` would also take the user's worktrees on a disk
 * that is not mounted. Safe to repeat.
 */
export async function toTrash(repo: Repo, path: string, landed: readonly RefValue[] = []): Promise<void> {
  await assertOurs(repo, path);
  await withRepo(repo, async () => {
    const real = await canonical(path);
    const linked = await linkedAt(repo, real);
    const folder = await lstat(real).catch(() => undefined);
    if (!linked && !folder) return;
    if (linked) await pinLost(repo, linked);
    const place = await trashPlace(await trashNear(repo, real), basename(real));
    if (folder) await moveAway(real, join(place, 'tree'));
    await faultPoint('worktree.trashed');
    if (linked) await moveAway(linked.admin, join(place, 'registration'));
    if (linked) await noteFilled(repo, linked.name, []);
  });
  await deleteRefs(repo, landed);
}

/**
 * The time for which the trash is kept. Its folders were proven to hold nothing of their own but ignored files; a farm of 20 fills a disk
 * in a week.
 */
export const TRASH_MS = 24 * 3600_000;

/** Deletes what has been in the trash for longer. Call it in idle time: deleting makes creating 5–20 times slower. */
export async function purgeTrash(places: Places, olderThanMs: number, now: number): Promise<string[]> {
  const old = (await trashed(places)).filter((path) => now - Number(/^(\d{12,})-/.exec(basename(path))?.[1] ?? now) > olderThanMs);
  for (const path of old) await remove(path);
  return old;
}

/** Everything in the trash, by path. */
export async function trashed({ trash, farTrash }: Places): Promise<string[]> {
  const names = async (folder: string) => (await readdir(folder).catch(() => [])).map((name) => join(folder, name));
  return [...(await names(trash)), ...(await names(farTrash))];
}
