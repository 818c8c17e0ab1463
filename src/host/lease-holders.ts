import { type Farm, holdMarker } from '../farm/farm.ts';
import type { Stored } from '../lease/store.ts';
import { isAlive } from '../platform/process/identity.ts';
import { processTable, valuesOf } from '../platform/process/table.ts';

/** The variable that a command below `furrow hold` is started with: by it the rest of its tree is found. */
const HOLD = 'FURROW_HOLD';

/** The leases whose process has ended, with all that it started. */
export function goneHolders(farm: Pick<Farm, 'id'>, leases: readonly Stored[]): Set<number> {
  const dead = leases.filter(({ pid, pid_start: start }) => pid !== null && start !== null && !isAlive({ pid, start }));
  if (dead.length === 0) return new Set();
  // The command may outlive the furrow that waited for it.
  const table = processTable();
  const marked = new Set(valuesOf(table, HOLD).values());
  return new Set(dead.filter(({ id }) => !marked.has(holdMarker(farm, id))).map(({ id }) => id));
}
