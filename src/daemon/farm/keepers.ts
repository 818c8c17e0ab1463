import { agentsOf } from '../../agents/agent/store.ts';
import { openIntents } from '../../journal/act.ts';
import { isBelow } from '../../platform/git/holders.ts';
import type { Keeper, KeeperOf } from '../../repo/merge/checkouts.ts';
import type { Farm } from './farm.ts';

/** Tells furrow's own worktrees, by path, from the user's: whose they are, and whether somebody works there now. */
export async function keepers(farm: Farm): Promise<KeeperOf> {
  const agents = await agentsOf(farm.db);
  const checks = await openIntents(farm.db, 'check.run');
  return (path): Keeper | undefined => {
    const agent = agents.find(({ worktree }) => isBelow(path, worktree));
    if (agent) return { name: `agent ${agent.name}`, agent: agent.name, busy: agent.attempt !== null };
    if (isBelow(path, farm.places.slots)) return { name: 'a check of furrow', busy: checks.length > 0 };
    const ours = isBelow(path, farm.places.home) || isBelow(path, farm.places.dir);
    return ours ? { name: 'a former agent', busy: false } : undefined;
  };
}
