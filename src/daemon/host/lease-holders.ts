import type { Remembered, Stored } from '../../agents/lease/store.ts';
import { isAlive } from '../../platform/process/identity.ts';
import { processTable, valuesOf } from '../../platform/process/table.ts';
import type { Farm } from '../farm/farm.ts';
import { holdMarker } from '../farm/process-names.ts';

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

/** `FURROW_HELD` of such a command: the mode, the count and the name of the resource. */
const HELD = /^(shared|exclusive) ([1-9]\d{0,5}) (\S+)$/;

/** The leases that commands below `furrow hold` still have, by what they were started with. For a daemon whose store was lost. */
export function heldByCommands(farm: Pick<Farm, 'id'>): Remembered[] {
  const table = processTable();
  const [markers, held, grants] = [HOLD, 'FURROW_HELD', 'FURROW_GRANT'].map((name) => valuesOf(table, name));
  const found = new Map<number, Remembered>();
  for (const { pid, start } of table) {
    const [, mode, count, resource] = HELD.exec(held!.get(pid) ?? '') ?? [];
    const [id, token] = [leaseIn(farm, markers!.get(pid)), Number(grants!.get(pid))];
    if (id === undefined || !mode || !resource || !Number.isSafeInteger(token) || found.has(id)) continue;
    found.set(id, { id, token, mode: mode as Remembered['mode'], count: Number(count), names: [resource], process: { pid, start } });
  }
  return [...found.values()];
}

function leaseIn(farm: Pick<Farm, 'id'>, marker = ''): number | undefined {
  const id = Number(/\.h([1-9]\d*)$/.exec(marker)?.[1]);
  return Number.isSafeInteger(id) && marker === holdMarker(farm, id) ? id : undefined;
}
