import { agentsOf } from '../../agents/agent/store.ts';
import { openIntents } from '../../journal/act.ts';
import { isBelow } from '../../platform/git/holders.ts';
import type { Places } from '../../platform/places.ts';
import type { Keeper, KeeperOf } from '../../repo/merge/checkouts.ts';
import type { Kept } from '../acts/publish/arguments.ts';
import type { Farm } from './farm.ts';

/** Reads the owners of furrow's own worktrees, and whether somebody works there now. */
export async function readOwners({ db }: Pick<Farm, 'db'>): Promise<Kept> {
  const agents = (await agentsOf(db)).map(({ name, worktree, attempt }) => ({ name, worktree, busy: attempt !== null }));
  return { agents, checking: (await openIntents(db, 'check.run')).length > 0 };
}

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

/** Does both, as of now. */
export const worktreeOwners = async (farm: Pick<Farm, 'db' | 'places'>): Promise<KeeperOf> => ownerIn(farm.places, await readOwners(farm));
