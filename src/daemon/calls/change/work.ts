import { FurrowError } from '../../../platform/error.ts';
import { sinceTarget } from '../../../repo/merge/since-target.ts';
import { objectsIn } from '../../../repo/radar/objects.ts';
import { snapshotWork } from '../../../repo/radar/snapshot.ts';
import type { Farm } from '../../farm/farm.ts';
import { targetOf } from '../../farm/inputs/target.ts';
import type { WorkFolder } from '../work-folder.ts';
import type { Change } from './change.ts';

/** An agent that writes just now is looked at again, so often. */
const TRIES = 5;

/**
 * All that is in a worktree and not on the target, committed or not. Nothing in the worktree is touched: `scratch` is a folder
 * of ours, which gets a copy of the index and the objects of what is not committed.
 */
export async function workInHand(farm: Farm, { path, branch, attempt }: WorkFolder, scratch: string): Promise<Change> {
  let found: Awaited<ReturnType<typeof snapshotWork>>;
  for (let tries = 0; !found && tries < TRIES; tries++)
    found = await snapshotWork(farm.repo, { worktree: path, fresh: `${scratch}/${tries}` });
  if (!found) throw new FurrowError('TRY_AGAIN', `${path} is being written to just now`, { hint: 'the same command again' });
  const target = attempt ? targetOf(attempt, farm) : farm.target;
  const { commit, head, objects, leftOut } = found;
  const from = await sinceTarget(farm.repo, target, commit, objects === undefined ? {} : { env: objectsIn(farm.repo, objects) });
  const who = attempt ? `attempt ${attempt.n} by ${attempt.agent}${attempt.state === 'ended' ? ', ended' : ''}` : 'work';
  const what = commit === head ? 'nothing uncommitted' : 'uncommitted and new files included';
  return {
    shows: 'work',
    from,
    to: commit,
    text: `${who}, in hand on ${branch ?? 'a detached head'}, since ${from.slice(0, 9)} of ${target}; ${what}`,
    attempt: attempt?.n ?? null,
    target,
    uncommitted: commit !== head,
    objects,
    leftOut: leftOut.map((one) => `${one.path} (${one.why})`),
  };
}
