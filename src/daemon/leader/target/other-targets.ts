import { landedTargets, landingsToPublish } from '../../../queue/landing/read.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import { freshTarget, type LoopState, type TargetState } from '../state.ts';
import { lastPush, newestLanding, pushPublished } from './push.ts';
import { observeTarget, publishHead } from './target.ts';

/** Targets with landings, beside the queue's: an earlier daemon may have left some of them unpublished. */
export async function readOthers(farm: Farm, state: LoopState): Promise<void> {
  for (const target of await landedTargets(farm.db))
    if (target !== state.queue.target && !state.others.has(target))
      state.others.set(target, { ...freshTarget(), queue: { target, head: '', headTree: '', moves: 0 } });
}

/** Publishes and pushes landings on targets that the queue has left, so that a change of `target:` leaves nothing unpublished. */
export async function followOthers(farm: Farm, state: LoopState, perform: Performer, now: number): Promise<void> {
  for (const [target, other] of state.others) {
    if (!(await hasUnpublished(farm, target)) && !(await isUnpushed(farm, other))) {
      state.others.delete(target);
      continue;
    }
    if (!(await observeTarget(farm, other, perform))) continue;
    if (await hasUnpublished(farm, target)) await publishHead(farm, other, perform, now);
    await pushPublished(farm, other, perform, now);
  }
}

async function hasUnpublished({ db }: Farm, target: string): Promise<boolean> {
  return (await landingsToPublish(db, target)).some(({ removed }) => removed === null);
}

async function isUnpushed(farm: Farm, state: TargetState): Promise<boolean> {
  const { remote } = farm.config.queue;
  if (remote === null) return false;
  // It was not looked at yet, so its newest landing is not known.
  if (!state.targetAt) return true;
  const newest = await newestLanding(farm, state);
  return newest !== undefined && (await lastPush(farm.db, state.queue.target, remote))?.commit !== newest;
}
