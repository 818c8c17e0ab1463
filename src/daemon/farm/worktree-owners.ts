import { isBelow, type Places } from '../../platform/places.ts';
import type { Keeper, KeeperOf } from '../../repo/merge/checkouts.ts';
import type { Kept } from '../acts/publish/arguments.ts';

/** Tells furrow's own worktrees, by path, from the user's. */
export const ownerIn =
  (places: Pick<Places, 'slots' | 'home' | 'dir'>, { agents, checking }: Kept): KeeperOf =>
  (path): Keeper | undefined => {
    const agent = agents.find(({ worktree }) => isBelow(path, worktree));
    if (agent) return { name: `agent ${agent.name}`, agent: agent.name, busy: agent.busy };
    if (isBelow(path, places.slots)) return { name: 'a check of furrow', busy: checking };
    const ours = isBelow(path, places.home) || isBelow(path, places.dir);
    return ours ? { name: 'a former agent', busy: false } : undefined;
  };
