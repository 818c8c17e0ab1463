import { askFor, endLeases, openLeases } from '../../agents/lease/store.ts';
import type { Tx } from '../../journal/store.ts';
import type { CheckSpec } from '../../repo/merge/check.ts';
import type { CheckArgs } from '../acts/check-run/arguments.ts';
import { resourcesOf } from '../farm/check-specs.ts';
import type { Farm } from '../farm/farm.ts';

/** A check on a tree, in the queue or after a landing. */
type CheckOf = Pick<CheckArgs, 'tree' | 'stage'> & { readonly check: CheckSpec };

const holderOf = (stage: string, tree: string, check: string) => `check:${stage}:${tree}:${check}`;

/** True when a check may start: it needs nothing, or holds what it needs. Otherwise it waits in line, and takes no slot. */
export async function mayCheck(farm: Pick<Farm, 'db' | 'clock' | 'config'>, { tree, stage, check }: CheckOf): Promise<boolean> {
  const needs = resourcesOf(check);
  if (needs.length === 0) return true;
  const now = farm.clock.now();
  return farm.db.transaction().execute(async (tx) => {
    const holder = holderOf(stage, tree, check.id);
    const known = (await openLeases(tx)).find((lease) => lease.holder === holder);
    const by = { holder, who: `check ${check.name}`, attempt: null, process: null };
    const wanted = {
      kind: 'resource',
      names: needs,
      mode: 'exclusive',
      count: 1,
      origin: 'needed',
      by,
      reason: null,
      until: null,
    } as const;
    return (known ?? (await askFor(tx, wanted, farm.config.resources, now))).standing === 'held';
  });
}

/** The check has ended, however it did. */
export async function freeAfterCheck(tx: Tx, farm: Pick<Farm, 'config'>, { tree, stage, check }: CheckOf, now: number): Promise<void> {
  if (resourcesOf(check).length > 0) await endOf(tx, farm, [holderOf(stage, tree, check.id)], 'the check is over', now);
}

/** Removes checks that are no longer wanted, and do not run, from the line; their leases go to the next. */
export async function leaveLine(
  farm: Pick<Farm, 'db' | 'clock' | 'config'>,
  stage: CheckArgs['stage'],
  wanted: readonly { readonly tree: string; readonly check: CheckSpec | string }[],
): Promise<void> {
  const keep = new Set(wanted.map(({ tree, check }) => holderOf(stage, tree, typeof check === 'string' ? check : check.id)));
  const holders = (await openLeases(farm.db)).map(({ holder }) => holder);
  const unwanted = holders.filter((holder) => holder.startsWith(`check:${stage}:`) && !keep.has(holder));
  if (unwanted.length === 0) return;
  const now = farm.clock.now();
  await farm.db.transaction().execute((tx) => endOf(tx, farm, unwanted, 'the check is not wanted any more', now));
}

async function endOf(tx: Tx, { config }: Pick<Farm, 'config'>, holders: readonly string[], why: string, now: number): Promise<void> {
  const ids = (await openLeases(tx)).filter(({ holder }) => holders.includes(holder)).map(({ id }) => id);
  await endLeases(tx, ids, why, config.resources, now);
}
