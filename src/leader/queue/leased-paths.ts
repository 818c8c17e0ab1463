import type { Entry } from '../../entry/store.ts';
import type { Farm } from '../../farm/farm.ts';
import { isKept } from '../../lease/paths.ts';
import { openLeases } from '../../lease/store.ts';
import { heldBy } from '../../lease/words.ts';

/**
 * The open entries of agents that change what somebody else held when they were submitted, and still holds: they wait in the queue until
 * it is released. A lease that was granted later holds nobody back who came before it.
 */
export async function heldByLeases(farm: Pick<Farm, 'db' | 'clock' | 'tasks'>, rows: readonly Entry[]): Promise<Map<number, string>> {
  const leases = (await openLeases(farm.db)).filter(({ kind, standing }) => kind === 'path' && standing === 'held');
  if (leases.length === 0) return new Map();
  const tasks = await farm.tasks();
  const found = new Map<number, string>();
  for (const row of rows.filter(({ ended, agent, paths }) => ended === null && agent !== null && paths !== null)) {
    const own = JSON.parse(tasks.row(row.task)?.paths ?? '[]') as string[];
    const changed = JSON.parse(row.paths!) as string[];
    const earlier = leases.filter(({ granted }) => granted !== null && granted < row.at);
    const [first] = earlier.flatMap((lease) => changed.filter((path) => isKept(lease, path, own)).map((path) => ({ lease, path })));
    if (first) found.set(row.id, `changes ${first.path}, and ${heldBy(first.lease, farm.clock.now())}`);
  }
  return found;
}
