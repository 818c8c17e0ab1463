import { newestIntents } from '../../../journal/act.ts';
import { FurrowError } from '../../../platform/error.ts';
import { landingsToPublish } from '../../../queue/landing/read.ts';
import { headRef } from '../../../repo/merge/target-refs.ts';
import { closeQuestions, raiseQuestion } from '../../../work/question/store.ts';
import { LAND, PUBLISH } from '../../acts/keys.ts';
import type { PublishArgs, Published } from '../../acts/publish/arguments.ts';
import { wakeAt } from '../../farm/alarm.ts';
import type { Farm } from '../../farm/farm.ts';
import type { Performer } from '../../farm/performer.ts';
import { targetOf } from '../../farm/target-of.ts';
import { targetedEntries } from '../queue/switch-target.ts';
import type { LoopState, TargetState } from '../state.ts';
import { worktreeOwners } from '../worktree-owners.ts';
import { adoptTarget, knownChain } from './adopt-target.ts';
import { assertPersons, TARGET_MOVED } from './stray-target.ts';

/** A refused publication is tried again after 3, 6, 12 … 60 s, or at once when the target or the index changes. */
const PUBLISH_AGAIN_MS = 3000;
const PUBLISH_LATEST_MS = 60_000;

/** Looks whether the user has committed to the target. Two `stat` calls when nothing happened, git only when something did. */
export async function observeTarget(farm: Farm, state: TargetState, perform: Performer): Promise<boolean> {
  // A landing or a publication is moving these refs; the known values hold until that is done.
  if ((perform.flying(LAND) || perform.flying(PUBLISH)) && state.queue.head) return !state.targetLost;
  try {
    await followTarget(farm, state);
    if (state.targetLost)
      await farm.db.transaction().execute(async (tx) => {
        await closeQuestions(tx, 'target', state.queue.target, 'found', farm.clock.now());
        await closeQuestions(tx, 'target-moved', state.queue.target, 'the target is where furrow knows it', farm.clock.now());
      });
    state.targetLost = false;
    return true;
  } catch (error) {
    if (!(error instanceof FurrowError) || error.code === 'GIT_FAILED') throw error;
    state.targetLost = true;
    if (error.code === TARGET_MOVED) return false;
    await farm.db
      .transaction()
      .execute((tx) => raiseQuestion(tx, { kind: 'target', subject: state.queue.target, reason: withNext(error) }, farm.clock.now()));
    return false;
  }
}

const withNext = ({ message, hint }: FurrowError) => (hint === undefined ? message : `${message}: ${hint}`);

/** True while the target is where the last look found it. Two `stat` calls. */
export function isAsSeen(
  { git }: Pick<Farm, 'git'>,
  { queue, targetSeen }: { readonly queue: Pick<TargetState['queue'], 'head' | 'target'>; readonly targetSeen: string },
): boolean {
  return queue.head !== '' && git.branchStamp(queue.target) === targetSeen && git.isHeadAt(queue.target, queue.head);
}

async function followTarget(farm: Farm, state: TargetState): Promise<void> {
  if (isAsSeen(farm, state)) return;
  const { target } = state.queue;
  const seen = farm.git.branchStamp(target);
  const not = farm.git.noBranch(target);
  if (not) throw not;
  await assertPersons(farm, state, seen);
  state.targetAt = (await farm.git.resolve(`refs/heads/${target}`)) ?? '';
  const adopted = await adoptTarget(farm, target);
  state.targetSeen = seen;
  // A landing that a person took out before the queue saw it leaves the head where the queue knows it, but it is still a change.
  if (adopted.head === state.queue.head && adopted.moved === 'none') return;
  const tree = await farm.git.treeOf(adopted.head);
  state.queue.head = adopted.head;
  state.queue.headTree = tree;
  state.queue.moves++;
  state.publishing = { ...state.publishing, reason: null, triedAt: 0, at: '' };
}

/** Finds the commit that new attempts start from. While the queue works on an earlier target, the one in force is looked at separately. */
export async function observeBase(farm: Farm, state: LoopState, known: boolean): Promise<void> {
  const { target } = farm;
  if (target === state.queue.target) {
    Object.assign(state, { base: known ? state.queue.head : '', baseTarget: target, baseSeen: '' });
    return;
  }
  const seen = `${target} ${farm.git.branchStamp(target)}`;
  if (seen === state.baseSeen) return;
  const not = farm.git.noBranch(target);
  const [user, head] = not ? [] : await farm.git.resolveAll([`refs/heads/${target}`, headRef(target)]);
  // Old landings may wait to be published; the user's commits beside or on top of them win.
  const base = user && head && (await farm.git.isAncestor(user, head)) ? head : (user ?? '');
  Object.assign(state, { base, baseTarget: target, baseSeen: seen });
  const now = farm.clock.now();
  await farm.db.transaction().execute(async (tx) => {
    if (user) await closeQuestions(tx, 'target', target, 'found', now);
    else await raiseQuestion(tx, { kind: 'target', subject: target, reason: not ? withNext(not) : `there is no branch ${target}` }, now);
  });
}

/** Moves the target to the head, if something has changed since the last try. */
export async function publishHead(farm: Farm, state: TargetState, perform: Performer, now: number): Promise<void> {
  const { publishing, queue } = state;
  const { target } = queue;
  const seen = `${queue.head} ${state.targetSeen} ${farm.git.checkoutStamp()}`;
  // The next try comes later than an act rests: until then it counts as failed.
  if (publishing.reason !== null) farm.failing.wanted(PUBLISH);
  const due = publishing.at !== seen || (publishing.reason !== null && now >= publishing.triedAt + publishing.waitMs);
  if (!queue.head || !due || perform.busy(PUBLISH)) return;
  publishing.at = seen;
  publishing.triedAt = now;
  const at = await farm.git.resolve(`refs/heads/${target}`);
  // Somebody moved the branch since the last look: what they took out would come back. So it is looked at first.
  if ((at ?? '') !== state.targetAt) {
    publishing.at = '';
    return;
  }
  const before = at ? await unfinished(farm, target) : undefined;
  const [first] = await landingsToPublish(farm.db, target);
  // A crash, or a killed git, may have come between the branch and the files: then that move is completed first.
  const half = before && at === before.new ? before : undefined;
  const old = at === queue.head ? first?.parent : at;
  if (half) void perform.start('landing.publish', half);
  else if (old) void perform.start('landing.publish', { old, new: queue.head, target });
  else {
    publishing.reason = null;
    const late = at ? await farm.git.laggards(target, { to: at, keeperOf: await worktreeOwners(farm) }) : [];
    if (at && late.length > 0) void perform.start('landing.publish', { old: at, new: at, target });
  }
}

export function published(farm: Farm, state: TargetState, result: Published): void {
  state.publishing.reason = result.reason;
  // The completed move may have been an earlier one; the next is due at once.
  if (result.published) state.publishing.at = '';
  state.publishing.waitMs = result.published ? PUBLISH_AGAIN_MS / 2 : Math.min(PUBLISH_LATEST_MS, state.publishing.waitMs * 2);
  if (result.reason !== null) wakeAt(farm, farm.clock.awake() + state.publishing.waitMs);
}

/** Publications of other targets may have come since. */
const LOOK_BACK = 50;

/** The last publication of a target, if it was cut short: the branch may be ahead of the files, and only this one can move them. */
async function unfinished(farm: Farm, target: string): Promise<PublishArgs | undefined> {
  const isOfTarget = ({ args }: { readonly args: string }) => targetOf(JSON.parse(args) as PublishArgs, farm) === target;
  const newest = (limit: number) => newestIntents(farm.db, 'landing.publish', limit);
  // The newest is nearly always its own; the others are far back among all other intents.
  const last = (await newest(1)).find(isOfTarget) ?? (await newest(LOOK_BACK)).find(isOfTarget);
  if (!last || (last.state === 'done' && (JSON.parse(last.result ?? 'null') as Published | null)?.published)) return undefined;
  return JSON.parse(last.args) as PublishArgs;
}

/**
 * Reads the target as `observeTarget` does, but moves no ref and stores nothing. False: somebody has moved the target or the head since a
 * daemon last followed them, so a landing in the store may no longer be on the target; or the queue is at another target.
 */
export async function lookAtTarget(farm: Farm, state: LoopState): Promise<boolean> {
  const { target, git } = farm;
  if ((await targetedEntries(farm)).some((entry) => entry.target !== target) || git.noBranch(target)) return false;
  const found = await git.asAdopted(target, await knownChain(farm, target));
  if (!found) return false;
  const { head, user } = found;
  Object.assign(state.queue, { target, head, headTree: await git.treeOf(head) });
  Object.assign(state, { targetAt: user, targetLost: false, base: head, baseTarget: target });
  return true;
}
