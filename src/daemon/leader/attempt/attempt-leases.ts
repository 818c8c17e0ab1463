import { inTheWay } from '../../../agents/lease/plan.ts';
import { type Lease, workOf } from '../../../agents/lease/state.ts';
import { askFor, type Holder, type NewLease, openLeases, passLeases, type Stored } from '../../../agents/lease/store.ts';
import { inWay, namesOf } from '../../../agents/lease/words.ts';
import type { Tx } from '../../../journal/store.ts';
import { FurrowError } from '../../../platform/error.ts';
import type { Attempt } from '../../../work/attempt/store.ts';
import { splitRef } from '../../../work/task/id.ts';
import type { Task } from '../../../work/task/store.ts';
import type { Farm } from '../../farm/farm.ts';

type Names = Pick<Task, 'paths' | 'needs'>;

/** The leases that an attempt at a task takes: the paths that it names, and the resources that it needs. */
export function leasesOf(task: Names): Pick<NewLease, 'kind' | 'names' | 'origin'>[] {
  const [paths, needs] = [JSON.parse(task.paths) as string[], JSON.parse(task.needs) as string[]];
  return [
    ...(needs.length > 0 ? [{ kind: 'resource', names: needs, origin: 'needed' } as const] : []),
    ...(paths.length > 0 ? [{ kind: 'path', names: paths, origin: 'declared' } as const] : []),
  ];
}

/** The same as a lease of the plan. */
export const asWanted = (wanted: Pick<NewLease, 'kind' | 'names'>, holder: string): Lease => ({
  ...wanted,
  id: Number.MAX_SAFE_INTEGER,
  holder,
  mode: 'exclusive',
  count: 1,
  standing: 'waiting',
  token: null,
});

/** Paths keep a task from starting only if the configuration says so; otherwise its lease waits in line while it works. */
export const mustWaitFor = (kind: Lease['kind'], { config }: Pick<Farm, 'config'>) => kind === 'resource' || config.leases === 'enforce';

/** Takes the leases of a task for the attempt that starts on it. Throws when it must wait for one: then nothing starts. */
export async function takeForAttempt(
  tx: Tx,
  farm: Pick<Farm, 'config'>,
  task: Names & Pick<Task, 'title' | 'ref'>,
  { id, agent }: { readonly id: number; readonly agent: string },
  now: number,
): Promise<void> {
  const by: Holder = { holder: `attempt:${id}`, who: agent, attempt: id, process: null };
  const capacity = farm.config.resources;
  const back = (await openLeases(tx)).filter(({ holder }) => holder === workOf(task.ref));
  const kept = await passLeases(
    tx,
    back.map(({ id }) => id),
    workOf(task.ref),
    by,
  );
  for (const wanted of leasesOf(task)) {
    if (kept.some(({ origin, names }) => origin === 'declared' && isSame(names, wanted.names))) continue;
    const behind = inTheWay({ leases: await openLeases(tx), capacity }, asWanted(wanted, by.holder)) as Stored[];
    if (behind.length > 0 && mustWaitFor(wanted.kind, farm))
      throw new FurrowError('STALE', `${namesOf({ ...wanted, mode: 'exclusive', count: 1 })} is not free: ${inWay(behind, now)}`);
    await askFor(tx, { ...wanted, mode: 'exclusive', count: 1, by, reason: task.title, until: null }, capacity, now);
  }
}

const isSame = (a: readonly string[], b: readonly string[]) => JSON.stringify(a) === JSON.stringify(b);

/**
 * Keeps the leases of a submitted attempt until its work has landed or gone back. Otherwise the next holder would start on a target without
 * that work, and conflict with it.
 */
export async function leaseWork(tx: Tx, { id, task }: Pick<Attempt, 'id' | 'task'>, leases: readonly number[]): Promise<void> {
  await passLeases(tx, leases, `attempt:${id}`, { holder: workOf(task), who: `task ${splitRef(task).id}`, attempt: null });
}
