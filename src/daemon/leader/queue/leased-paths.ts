import { isKept } from '../../../agents/lease/paths.ts';
import { holdBacks, type Trespass } from '../../../agents/lease/plan.ts';
import { workOf } from '../../../agents/lease/state.ts';
import { openLeases, type Stored } from '../../../agents/lease/store.ts';
import { heldBy } from '../../../agents/lease/words.ts';
import { openEntries } from '../../../work/entry/read.ts';
import type { Farm } from '../../farm/farm.ts';

/**
 * The agents' open entries that change paths which somebody else held when they were submitted and still holds, at work or in the queue.
 * They wait until the lease is released, or its work has landed. A lease that was granted later holds back no earlier entry.
 */
export async function heldByLeases(farm: Pick<Farm, 'db' | 'clock' | 'tasks' | 'config'>): Promise<Map<number, string>> {
  const leases = await openLeases(farm.db);
  const held = leases.filter(({ kind, standing }) => kind === 'path' && standing === 'held');
  if (held.length === 0) return new Map();
  const tasks = await farm.tasks();
  const changed = new Map<number, string[]>();
  const entries = (await openEntries(farm.db)).map((row): Trespass<Stored> => {
    const own = JSON.parse(tasks.row(row.task)?.paths ?? '[]') as string[];
    const paths = row.agent === null || row.paths === null ? [] : (JSON.parse(row.paths) as string[]);
    changed.set(row.id, paths);
    const earlier = held.filter(({ granted }) => granted !== null && granted < row.at);
    const others = earlier.filter((lease) => lease.holder !== workOf(row.task) && paths.some((path) => isKept(lease, path, own)));
    return { entry: row.id, holder: workOf(row.task), leases: others, after: (JSON.parse(row.after) as string[]).map(workOf) };
  });
  const found = holdBacks({ leases, capacity: farm.config.resources }, entries);
  const now = farm.clock.now();
  return new Map(
    [...found].map(([id, lease]) => [id, `changes ${changed.get(id)!.find((path) => isKept(lease, path, []))}, and ${heldBy(lease, now)}`]),
  );
}
