import { inTheWay } from '../../../agents/lease/plan.ts';
import type { Lease } from '../../../agents/lease/state.ts';
import { openLeases, type Stored } from '../../../agents/lease/store.ts';
import { inWay } from '../../../agents/lease/words.ts';
import type { Farm } from '../../farm/farm.ts';
import type { FarmRows } from '../../farm/snapshot.ts';
import { asWanted, leasesOf, mustWaitFor } from '../attempt/attempt-leases.ts';

interface Held {
  readonly code: string;
  readonly text: string;
  readonly for: 'task';
  readonly refused?: true;
}

/**
 * Makes a function that tells whether the resources of a task are free, and its paths where that is enforced. Leases of earlier tasks in
 * this plan count as taken.
 */
export async function leaseGate(farm: Farm, rows: Pick<FarmRows, 'row'>): Promise<(task: string) => Held | undefined> {
  const open = await openLeases(farm.db);
  const taking = new Map<string, Lease[]>();
  const capacity = farm.config.resources;
  return (ref) => {
    const task = rows.row(ref);
    if (!task) return undefined;
    taking.delete(ref);
    const others = [...open, ...[...taking.values()].flat()];
    const mine = leasesOf(task).filter(({ kind }) => mustWaitFor(kind, farm));
    for (const wanted of mine) {
      const unknown = wanted.kind === 'resource' ? wanted.names.find((name) => !Object.hasOwn(capacity, name)) : undefined;
      if (unknown !== undefined)
        return { code: 'resource', for: 'task', text: `needs ${unknown}, and furrow.yaml has no such resource`, refused: true };
      const behind = inTheWay({ leases: others, capacity }, asWanted(wanted, `task:${ref}`));
      if (behind.length > 0)
        return { code: wanted.kind === 'path' ? 'paths' : 'resource', for: 'task', text: waitsFor(wanted, behind, farm) };
    }
    taking.set(
      ref,
      mine.map((wanted) => ({ ...asWanted(wanted, `task:${ref}`), standing: 'held' })),
    );
    return undefined;
  };
}

function waitsFor({ names }: { readonly names: readonly string[] }, behind: readonly Lease[], { clock }: Farm): string {
  const held = behind.filter((one): one is Stored => 'who' in one);
  const who = held.length > 0 ? inWay(held, clock.now()) : `${behind[0]!.holder.replace('task:', '')} starts now and takes it`;
  return `waits for ${names.join(', ')}: ${who}`;
}
