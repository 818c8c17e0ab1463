import { lstat, mkdir } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { faultPoint } from '../../platform/fault.ts';
import { readIfThere, writeWhole } from '../../platform/files.ts';
import { type Linked, linkedWorktrees } from '../../platform/git/admin.ts';
import { inhabitants } from '../../platform/git/holders.ts';
import { withRepo } from '../../platform/git/mutex.ts';
import type { Repo } from '../../platform/git/run.ts';
import { moveAway } from '../../platform/git/trash.ts';
import { isBelow } from '../../platform/places.ts';
import { disposable, type Landed, toTrash } from './dispose.ts';

/** The folders of worktrees and slots. */
export interface Roots {
  readonly worktrees: string;
  readonly slots: string;
}

interface Relocation {
  /** Its home is the place that is left; it proves which worktrees are ours. */
  readonly repo: Repo;
  readonly from: Roots;
  readonly to: Roots;
  readonly landed: Landed;
  /** Worktrees in which an attempt runs: they stay. */
  readonly busy: ReadonlySet<string>;
}

export interface Relocated {
  readonly path: string;
  /** The new place; `null`: it held nothing of its own and is in the trash. */
  readonly to: string | null;
  /** The reason why it stays. */
  readonly kept?: string;
}

/**
 * Empties a place: slots and worktrees with nothing of their own go to the trash, the others are moved with their registration. One that
 * cannot be moved now stays usable. Safe to repeat after a kill anywhere.
 */
export async function relocate(order: Relocation): Promise<Relocated[]> {
  const done: Relocated[] = [];
  for (const linked of await linkedWorktrees(order.repo)) {
    const { path } = linked;
    if (path && isBelow(path, order.from.slots)) {
      await toTrash(order.repo, path);
      done.push({ path, to: null });
    }
    if (path && isBelow(path, order.from.worktrees)) done.push(await relocateOne(order, linked, path));
  }
  return done;
}

async function relocateOne(order: Relocation, linked: Linked, path: string): Promise<Relocated> {
  const to = join(order.to.worktrees, relative(order.from.worktrees, path));
  if (await alreadyMoved(linked, path, to)) {
    await register(linked, to);
    return { path, to };
  }
  const kept = await reasonToStay(order, linked, path, to);
  if (kept) return { path, to: path, kept };
  const verdict = await disposable(order.repo, path, order.landed);
  if (verdict.ok) {
    await toTrash(order.repo, path, verdict.landed);
    return { path, to: null };
  }
  await withRepo(order.repo, async () => {
    await mkdir(dirname(to), { recursive: true });
    await moveAway(path, to);
    await faultPoint('worktree.relocated');
    await register(linked, to);
  });
  return { path, to };
}

/** The reason why a worktree cannot be moved now. `git worktree move` refuses submodules too: their configuration names the place. */
export async function reasonToStay(order: Pick<Relocation, 'busy'>, linked: Linked, path: string, to: string): Promise<string | undefined> {
  if (order.busy.has(path)) return 'an attempt runs in it';
  if (await lstat(join(linked.admin, 'modules')).catch(() => undefined)) return 'a submodule is checked out in it';
  if (await lstat(to).catch(() => undefined)) return `${to} exists already`;
  const inside = inhabitants(path);
  return inside?.[0] === undefined ? undefined : `process ${inside[0]} works in it`;
}

/** True when we were killed between the move and its registration: the folder is already there and leads to this registration. */
async function alreadyMoved(linked: Linked, path: string, to: string): Promise<boolean> {
  if (await lstat(path).catch(() => undefined)) return false;
  return (await readIfThere(join(to, '.git')).catch(() => undefined))?.trim() === `gitdir: ${linked.admin}`;
}

/** Written beside and renamed: that replaces a planted link and does not follow it. */
async function register(linked: Linked, path: string): Promise<void> {
  await writeWhole(join(linked.admin, 'gitdir'), `${join(path, '.git')}\n`, 0o644);
}
