import { statSync } from 'node:fs';
import { join } from 'node:path';
import { isCollecting } from '../../platform/git/gc.ts';
import { objectsGone } from '../../platform/git/pruned.ts';
import type { Host } from './host.ts';
import { mendOwnIndexes, mendOwnReflogs } from './mend-files.ts';
import { mendRefs } from './mend-refs.ts';

type Looking = Pick<Host, 'repo' | 'leader' | 'clock' | 'doubts' | 'wake' | 'target' | 'report'>;

/** A gc writes its pack first and removes objects after: the look comes when it has ended. */
const SETTLED_MS = 2000;

/** The pace of the dearer look for what a `git prune` took. */
const PRUNED_MS = 10_000;

/**
 * A look, every second, for refs and indexes of ours whose objects are gone. It costs a `stat`, and git only at the start, after somebody's gc, repack or
 * prune, or when a git of ours failed for want of an object.
 */
export function repairRefs(farm: Looking, headLost: () => void): () => Promise<void> {
  let packs = packsOf(farm);
  let due = farm.clock.awake();
  const isPruned = atPace(farm, PRUNED_MS, objectsGone(farm.repo.gitDir));
  return async () => {
    const seen = packsOf(farm);
    // The earlier of two: a person whose gc fails types it again, and each one writes a pack.
    if (isPruned() || seen !== packs) due = Math.min(due, farm.clock.awake() + SETTLED_MS);
    packs = seen;
    if (farm.doubts.objects) due = Math.min(due, farm.clock.awake());
    if (farm.clock.awake() < due || isCollecting(farm.repo.gitDir)) return;
    due = Number.POSITIVE_INFINITY;
    farm.doubts.objects = false;
    try {
      // The files in a worktree may tell what a ref lacks: they come first.
      if (await mendOwnIndexes(farm)) due = farm.clock.awake() + PRUNED_MS;
      if ((await mendRefs(farm)).headLost) {
        headLost();
        farm.wake();
      }
      await mendOwnReflogs(farm);
    } catch (error) {
      due = farm.clock.awake() + SETTLED_MS;
      throw error;
    }
  };
}

/** The same look, taken once in so many milliseconds; false in between. */
function atPace({ clock }: Looking, ms: number, look: () => boolean): () => boolean {
  let next = Number.NEGATIVE_INFINITY;
  return () => {
    if (clock.awake() < next) return false;
    next = clock.awake() + ms;
    return look();
  };
}

const packsOf = ({ repo }: Looking) => statSync(join(repo.gitDir, 'objects/pack'), { throwIfNoEntry: false })?.mtimeMs ?? 0;
