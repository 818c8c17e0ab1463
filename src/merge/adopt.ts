import { FurrowError } from '../platform/error.ts';
import { createRef, isAncestor, moveRef, type RefValue, resolve } from '../platform/git/refs.ts';
import { git, type Repo } from '../platform/git/run.ts';
import { headRef } from './land.ts';

export interface Adopted {
  readonly head: string;
  readonly moved: 'none' | 'created' | 'followed' | 'diverged';
  /** The head before, and its landings, oldest first, that the user's branch does not have: queued again by now. */
  readonly requeue?: { readonly from: string; readonly landings: readonly string[] };
}

export interface AdoptOptions {
  readonly epoch: RefValue;
  /**
   * Queues landings again. Called before the head moves, so that a crash in between forgets nothing; it is then called
   * again, and must not mind.
   */
  readonly requeue: (landings: readonly string[]) => Promise<void>;
}

/**
 * Takes the user's branch as it is. On top of the head: the head follows. Behind it: landings wait to be published. Neither,
 * or behind where it was last seen: the user's branch wins, the old head is kept under a pin, and its landings go through
 * the queue again. Safe to repeat.
 */
export async function adopt(repo: Repo, target: string, { epoch, requeue }: AdoptOptions): Promise<Adopted> {
  const ref = headRef(target);
  for (let tries = 0; tries < 10; tries++) {
    const [head, user, seen] = await Promise.all([ref, `refs/heads/${target}`, seenRef(target)].map((name) => resolve(repo, name)));
    if (user === undefined) {
      const hint = `git branch ${target} ${head ?? '<commit>'}, or set target: in furrow.yaml`;
      throw new FurrowError('TARGET_MISSING', `there is no branch ${target}`, { hint });
    }
    const next = await compare(repo, head, user, seen);
    if (next.requeue) {
      await createRef(repo, `refs/furrow/pin/diverged/${next.requeue.from}`, next.requeue.from);
      await requeue(next.requeue.landings);
    }
    const moved = next.moved === 'none' || (await moveRef(repo, { ref, to: next.head, from: head ?? null, epoch })).moved;
    if (!moved) continue;
    if (seen !== user) await remember(repo, target, user);
    return next;
  }
  throw new FurrowError('TRY_AGAIN', `${target} keeps moving`, { hint: 'furrow queue' });
}

async function compare(repo: Repo, head: string | undefined, user: string, seen: string | undefined): Promise<Adopted> {
  if (head === undefined) return { head: user, moved: 'created' };
  if (head === user) return { head, moved: 'none' };
  if (await isAncestor(repo, head, user)) return { head: user, moved: 'followed' };
  const unpublished = (await isAncestor(repo, user, head)) && (seen === undefined || (await isAncestor(repo, seen, user)));
  if (unpublished) return { head, moved: 'none' };
  return { head: user, moved: 'diverged', requeue: { from: head, landings: await displaced(repo, head, user, seen) } };
}

/**
 * The landings of an old head that another commit lacks, oldest first. What the target once had (`seen`) and has no more
 * was taken out by the user on purpose, and does not come back.
 */
async function displaced(repo: Repo, from: string, head: string, seen: string | undefined): Promise<string[]> {
  const not = [head, ...(seen === undefined ? [] : [seen])].map((oid) => `^${oid}`);
  const out = await git(repo, ['rev-list', '--first-parent', '--reverse', from, ...not]);
  return out.split('\n').filter(Boolean);
}

const seenRef = (target: string) => `refs/furrow/seen/${target}`;

/** Where the target was when we last looked: by it a branch that the user moved back is told from one that is only behind. */
export async function remember(repo: Repo, target: string, oid: string): Promise<void> {
  const ref = seenRef(target);
  await moveRef(repo, { ref, to: oid, from: (await resolve(repo, ref)) ?? null });
}
