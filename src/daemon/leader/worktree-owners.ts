import { agentsOf } from '../../agents/agent/store.ts';
import { openIntents } from '../../journal/act.ts';
import type { KeeperOf } from '../../repo/merge/checkouts.ts';
import type { Kept } from '../acts/publish/arguments.ts';
import type { Farm } from '../farm/farm.ts';
import { ownerIn } from '../farm/worktree-owners.ts';

/** Reads the owners of furrow's own worktrees, and whether somebody works there now. */
export async function readOwners({ db }: Pick<Farm, 'db'>): Promise<Kept> {
  const agents = (await agentsOf(db)).map(({ name, worktree, attempt }) => ({ name, worktree, busy: attempt !== null }));
  return { agents, checking: (await openIntents(db, 'check.run')).length > 0 };
}

/** Tells furrow's own worktrees from the user's, as of now. */
export const worktreeOwners = async (farm: Pick<Farm, 'db' | 'places'>): Promise<KeeperOf> => ownerIn(farm.places, await readOwners(farm));
