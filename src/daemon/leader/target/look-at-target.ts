import type { Farm } from '../../farm/farm.ts';
import { targetedEntries } from '../queue/switch-target.ts';
import type { LoopState } from '../state.ts';
import { knownChain } from './adopt-target.ts';

/**
 * Reads the target as `observeTarget` does, but moves no ref and stores nothing. False: somebody has moved the target or the head since a
 * daemon last followed them, so a landing in the store may no longer be on the target; or the queue is at another target.
 */
export async function lookAtTarget(farm: Farm, state: LoopState): Promise<boolean> {
  const { target, git } = farm;
  if ((await targetedEntries(farm)).some((entry) => entry.target !== target) || git.noBranch(target)) return false;
  const found = await git.asAdopted(target, await knownChain(farm, target));
  if (!found) return false;
  const { head, user } = found;
  Object.assign(state.queue, { target, head, headTree: await git.treeOf(head) });
  Object.assign(state, { targetAt: user, targetLost: false, base: head, baseTarget: target });
  return true;
}
