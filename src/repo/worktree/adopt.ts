import { join, relative } from 'node:path';
import { readIfThere, writeWhole } from '../../platform/files.ts';
import { type Linked, linkedWorktrees } from '../../platform/git/admin.ts';
import { pinLost } from '../../platform/git/keep.ts';
import { withRepo } from '../../platform/git/mutex.ts';
import type { Repo } from '../../platform/git/run.ts';
import { discard } from '../../platform/git/trash.ts';
import { isBelow, placesOf, usualHome } from '../../platform/places.ts';

/** The place of a repository before it was moved, or the repository that it is a copy of. */
interface Before {
  readonly root: string;
  readonly gitDir: string;
  readonly home: string;
}

/**
 * Lets our worktrees and the git folder find each other again after the repository was moved: each names the other by path. In a copy, the
 * original's worktrees stay its own; only copied ones are ours. Safe to repeat.
 */
export async function adoptWorktrees(repo: Repo, before: Before, copied: boolean): Promise<void> {
  await withRepo(repo, async () => {
    for (const linked of await linkedWorktrees(repo)) {
      const place = linked.path && whereNow(repo, before, linked.path, copied);
      if (!place) continue;
      const path = await firstThat(place, (one) => leadsHere(one, linked, before));
      if (path) {
        // Written beside and renamed: that replaces a planted link and does not follow it.
        await writeWhole(join(path, '.git'), `gitdir: ${linked.admin}\n`, 0o644);
        if (path !== linked.path) await writeWhole(join(linked.admin, 'gitdir'), `${join(path, '.git')}\n`, 0o644);
      } else if (copied) {
        await pinLost(repo, linked);
        await discard(linked.admin, placesOf(repo.root).trash, linked.name);
      }
    }
  });
}

/** The paths at which a worktree of ours may be now; `undefined`: it is not ours. */
function whereNow(repo: Repo, before: Before, path: string, copied: boolean): string[] | undefined {
  if (isBelow(path, join(before.root, '.furrow'))) return [join(repo.root, relative(before.root, path))];
  if (!isBelow(path, before.home)) return undefined;
  return copied ? [] : [path, join(usualHome(repo.root), relative(before.home, path))];
}

async function leadsHere(path: string, { name, admin }: Linked, before: Before): Promise<boolean> {
  const says = (await readIfThere(join(path, '.git')).catch(() => undefined))?.trim();
  return says === `gitdir: ${join(before.gitDir, 'worktrees', name)}` || says === `gitdir: ${admin}`;
}

async function firstThat(paths: readonly string[], holds: (path: string) => Promise<boolean>): Promise<string | undefined> {
  for (const path of paths) if (await holds(path)) return path;
  return undefined;
}
