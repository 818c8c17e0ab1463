import { join } from 'node:path';
import { resolve } from '../../../platform/git/refs.ts';
import { git } from '../../../platform/git/run.ts';
import { jailPrefix } from '../../../platform/process/jail.ts';
import { limitArguments, metLimit, removeLimits } from '../../../platform/process/limits.ts';
import type { Limited, Slot } from '../../../repo/merge/slot.ts';
import type { CacheTrust } from '../../../repo/merge/slot-caches.ts';
import { headRef } from '../../../repo/merge/target-refs.ts';
import { slotMarker } from '../../farm/process-names.ts';
import { callsHosts, commandFence, fencedEnvironment } from '../fence.ts';
import type { CheckHost } from '../host.ts';

/** Agents come first when the processor is short: a check may take longer, a person watching an agent should not notice. */
const NICE = ['nice', '-n', '10'];

/** A slot of the farm, by name, with the jail of its checks, and their fence where there is one. */
export function slotOf(farm: CheckHost, name: string): Slot {
  const marker = slotMarker(farm, name);
  const path = join(farm.places.slots, name);
  const limits = () => limitsOf(farm, marker);
  if (farm.isolation.level === 'none') return { path, marker, limits, jail: [...jailPrefix(farm.killMethod, marker), ...NICE] };
  const fence: Slot['fence'] = async (env, where) => ({
    argv: await commandFence(farm, path, env, where),
    env: fencedEnvironment(env, undefined, callsHosts(farm)),
  });
  return { path, marker, limits, jail: NICE, fence };
}

/** The groups go with the command; what it met is asked before. */
function limitsOf({ limitWays, config }: CheckHost, marker: string): Limited {
  const argv = limitArguments(limitWays, marker, config.limits);
  const ended = () => {
    const met = metLimit(limitWays, marker);
    removeLimits(limitWays, marker);
    return met;
  };
  return { argv, ended };
}

/** Commits of the target that are looked at. A cache that is older helps little. */
const RECENT = 200;

/** Lets checks read the caches that a tree wrote which the target has, or had and was not taken out of it. */
export function cacheTrust({ repo, leader, target, config }: Pick<CheckHost, 'repo' | 'leader' | 'target' | 'config'>): CacheTrust {
  const isLanded = async (tree: string) => {
    if (await leader.checks.hasLanded(target, tree)) return true;
    // A commit of the person's is the target's as it is, also when it is no longer the newest.
    const head = (await resolve(repo, headRef(target))) ?? (await resolve(repo, `refs/heads/${target}`));
    if (head === undefined) return false;
    const trees = await git(repo, ['rev-list', '--first-parent', `--max-count=${RECENT}`, '--format=%T', head]);
    return trees.split('\n').includes(tree);
  };
  return { isLanded, shared: config.queue.share_caches };
}
