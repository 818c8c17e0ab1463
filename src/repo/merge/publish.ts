import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { faultPoint } from '../../platform/fault.ts';
import { clearOwnLocks, isLeftByUs } from '../../platform/git/own-locks.ts';
import { plantedLog } from '../../platform/git/own-ref.ts';
import { reflog } from '../../platform/git/reflog.ts';
import { isAncestor, moveRef, type RefValue, resolve } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';
import { remember } from './adopt.ts';
import { rehearse } from './checkout.ts';
import { type Refusal, refusal } from './checkout-refusal.ts';
import { type Checkout, type Checkouts, checkoutsOf, crossing, freeKept, type KeeperOf, waitsFor } from './checkouts.ts';
import { followAll, type Hold, holdAll, isAt, letGo, returnAll } from './hold.ts';
import { bringAlong } from './late-switch.ts';
import { movesOf } from './move.ts';
import { restoreSwept } from './restore-cleaned.ts';
import { isBehind } from './resync.ts';
import { restoreTorn } from './torn-files.ts';

export interface Publication {
  readonly old: string;
  readonly new: string;
}

interface Terms extends Publication {
  readonly epoch: RefValue;
  /** Tells furrow's own worktrees from the user's. */
  readonly keeperOf?: KeeperOf;
}

type Published = { readonly published: true } | ({ readonly published: false } & Refusal);

const later = (why: Refusal): Published => ({ published: false, ...why });

/** The text of our own moves of the branch in reflogs. */
const MOVED = 'furrow: publish';
const TAKEN_BACK = 'furrow: take back';

/** Waits 100, 200 and 300 ms for a git of the user's that is at work; then the publication rests. */
const TRIES = 4;
const AGAIN_MS = 100;

/**
 * Moves the user's branch, and every checkout of it, to the head, if that changes nothing of theirs; otherwise says what is in the way.
 * Tried before the ref moves: moving first left users with the reverse of the change staged. Safe to repeat at any point; a publication
 * that a crash cut short is completed or taken back.
 */
export async function publish(repo: Repo, target: string, terms: Terms): Promise<Published> {
  for (let attempt = 1; ; attempt++) {
    const done = await publishOnce(repo, target, terms);
    if (done.published || !done.brief || attempt === TRIES) return done;
    await sleep(attempt * AGAIN_MS);
  }
}

async function publishOnce(repo: Repo, target: string, terms: Terms): Promise<Published> {
  const { old, new: to, keeperOf } = terms;
  const ref = `refs/heads/${target}`;
  const at = await resolve(repo, ref);
  if (at !== old && at !== to) return later(refusal(`${target} has moved to ${at ?? 'nowhere'}`));
  if (!(await isAncestor(repo, old, to))) return later(refusal(`${target} has commits of its own`));
  const log = leadingLog(repo, ref);
  if (log) return later(refusal(log));
  await clearOwnLocks(repo);
  const checkouts = await checkoutsOf(repo, ref, keeperOf);
  if ('reason' in checkouts) return later(checkouts);
  for (const checkout of checkouts.on) await restoreTorn(repo, checkout);
  const kept = await freeKept(repo, ref, checkouts);
  if (kept) return later(kept);
  // A crash cut it short: our own git from before may still be writing, and files that are new already are no change of the user's.
  const again = at === to;
  const stranded = again ? await strandedAt(repo, to, checkouts) : [];
  const moves = await movesOf(repo, [...checkouts.on, ...stranded], old, to);
  if (!again) {
    for (const move of moves) {
      const refused = await rehearse(repo, move);
      if (refused) return later(refused);
    }
    await faultPoint('publish.rehearsed');
  }
  const hold = await holdAll(
    repo,
    moves,
    checkouts.off.filter((one) => !stranded.includes(one)),
  );
  if ('reason' in hold) return later(hold);
  let moved = again;
  try {
    // Locks that were never free since the branch moved need no check; releasing them would let a commit undo the landing.
    const guarded = again && hold.held.every(({ index }) => index.takenOver);
    const changed = guarded ? undefined : await lookAgain(repo, ref, checkouts, keeperOf);
    if (changed) return later(changed);
    await faultPoint('publish.held');
    if (!again) {
      const swapped = await moveRef(repo, { ref, to, from: old, epoch: terms.epoch, message: MOVED });
      if (!swapped.moved) return later(refusal(`${target} moved meanwhile`));
      moved = true;
      await faultPoint('publish.moved');
    }
    await overtaken(checkouts, keeperOf);
    await hold.letOthersGo();
    const refused = await followAll(repo, hold, again);
    if (refused) return await takeBack(repo, target, terms, hold, refused);
  } finally {
    await letGo(hold);
  }
  // Not after a crash: a file that is gone then may have been there for hours.
  if (!again) await restoreSwept(repo, moves, keeperOf);
  await faultPoint('publish.followed');
  // Where git is not seen as a process, somebody may have switched to the old value of the branch.
  if (moved) await bringAlong(repo, target, { to, keeperOf });
  return { published: true };
}

/** A reflog that is a link: git would write its line through it, into any file. A second hard link is the person's own business. */
function leadingLog({ gitDir }: Repo, ref: string): string | undefined {
  const found = [ref, 'HEAD'].map((name) => plantedLog(gitDir, name)).find((one) => one && !one.twin);
  return found && `${found.path} is ${found.what}, and nothing is written through it; see: ls -l ${quotedIfNeeded(found.path)}`;
}

/**
 * Checkouts that left the branch by `git switch --create` after it moved and before their files did, when a crash came in between: they are
 * at the new commit, and our lock still guards their old index.
 */
async function strandedAt(repo: Repo, to: string, { off }: Checkouts): Promise<Checkout[]> {
  const found: Checkout[] = [];
  for (const one of off) if ((await isAt(repo, to, one)) && (await isLeftByUs(repo, join(one.gitDir, 'index.lock')))) found.push(one);
  return found;
}

/**
 * Looks at HEAD and the worktrees again, now that no git can write an index. A git that has already written one may be about to move HEAD:
 * `switch` releases the index first. HEAD.lock would not help: a switch that meets it for 100 ms gives up with the other branch's files in
 * place, and one that waits longer checks nothing.
 */
async function lookAgain(repo: Repo, ref: string, before: Checkouts, keeperOf: KeeperOf | undefined): Promise<Refusal | undefined> {
  const [git] = crossing(before, keeperOf);
  if (git) return waitsFor(git);
  const now = await checkoutsOf(repo, ref, keeperOf);
  if ('reason' in now) return now;
  const paths = ({ on }: Checkouts) => on.map(({ path }) => path).join('\0');
  return paths(now) === paths(before) && now.kept.length === 0 ? undefined : { ...refusal('somebody is switching branches'), brief: true };
}

/** Waits for gits that began before the branch moved and know its old value. The held index makes them give up in milliseconds. */
async function overtaken(checkouts: Checkouts, keeperOf: KeeperOf | undefined): Promise<void> {
  const known = new Set(crossing(checkouts, keeperOf).map(({ pid, start }) => `${pid} ${start}`));
  for (let looks = 0; known.size > 0 && looks < 50; looks++) {
    await sleep(20);
    const alive = new Set(crossing(checkouts, keeperOf).map(({ pid, start }) => `${pid} ${start}`));
    for (const one of known) if (!alive.has(one)) known.delete(one);
  }
}

/**
 * Moves the branch back because the files could not follow. It is the only backward move, made only while the branch is still where we put
 * it.
 */
async function takeBack(repo: Repo, target: string, { old, new: to, epoch }: Terms, hold: Hold, why: Refusal): Promise<Published> {
  // First our memory: otherwise a branch behind it would look like one that the user moved back.
  await remember(repo, target, old);
  const ref = `refs/heads/${target}`;
  const moved = await moveRef(repo, { ref, to: old, from: to, epoch, message: TAKEN_BACK });
  if (moved.moved) await returnAll(repo, ref, hold);
  return later(why);
}

/**
 * After a crash: is everything at the new commit (or was, and a person moved on), is all of it still to do, do only the files lag, or has
 * the branch gone elsewhere?
 */
export async function probePublish(repo: Repo, target: string, { old, new: to }: Publication): Promise<'done' | 'todo' | 'sync' | 'lost'> {
  const ref = `refs/heads/${target}`;
  const at = await resolve(repo, ref);
  if (at !== undefined && at !== to && ((await wasLeft(repo, ref, to)) || (await isAncestor(repo, to, at)))) return 'done';
  if (at === old) return 'todo';
  if (at !== to) return 'lost';
  const checkouts = await checkoutsOf(repo, ref);
  if ('reason' in checkouts) return 'sync';
  const follow = [...checkouts.on, ...(await strandedAt(repo, to, checkouts))];
  for (const move of await movesOf(repo, follow, old, to)) if (await isBehind(repo, move)) return 'sync';
  return 'done';
}

/**
 * True if the branch has been at a commit and somebody else moved it away. Git writes the reflog before the branch: if the newest entry is
 * not the branch's value, that git was killed in between.
 */
async function wasLeft(repo: Repo, ref: string, commit: string): Promise<boolean> {
  const values = await reflog(repo, repo.root, ref, 100);
  const next = values.findIndex(({ oid }) => oid === commit) - 1;
  return next >= 0 && values[next]!.message !== TAKEN_BACK;
}
