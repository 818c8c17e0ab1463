import { resolve, treeOf } from '../../../platform/git/refs.ts';
import { headRef } from '../../../repo/merge/land.ts';
import type { CacheTrust } from '../../../repo/merge/slot-caches.ts';
import type { Host } from '../host.ts';

/** Lets checks read the caches that a tree wrote which the target has, or had and was not taken out of it. */
export function cacheTrust({ repo, leader, target, config }: Pick<Host, 'repo' | 'leader' | 'target' | 'config'>): CacheTrust {
  const isLanded = async (tree: string) => {
    if (await leader.checks.hasLanded(target, tree)) return true;
    // A commit of the person's is the target's as it is.
    const head = (await resolve(repo, headRef(target))) ?? (await resolve(repo, `refs/heads/${target}`));
    return head !== undefined && (await treeOf(repo, head)) === tree;
  };
  return { isLanded, shared: config.queue.share_caches };
}
