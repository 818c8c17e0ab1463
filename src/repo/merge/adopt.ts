import { FurrowError } from '../../platform/error.ts';
import { areConnected } from '../../platform/git/connected.ts';
import { createRef, isAncestor, moveRef, type RefValue, rawValue, resolve, resolveAll, setRef } from '../../platform/git/refs.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { headRef, seenRef } from './target-refs.ts';
import { pinUnpublished } from './unpublished.ts';

/** The target's history as the store knows it. */
export interface KnownChain {
  /** The commit that the head must be at; `undefined` in a store that has not noted it yet. */
  readonly head: string | undefined;
  /** Commits of the landings, and whether each has been on the target. */
  readonly landings: ReadonlyMap<string, { readonly published: boolean }>;
  /** A head that was found torn: its commit is there, but something behind it is missing. */
  readonly torn?: string | undefined;
}

/** The new head after a look at the user's branch. */
export interface Adopted {
  readonly head: string;
  readonly moved: 'none' | 'created' | 'followed' | 'diverged';
  /** The head before. */
  readonly from?: string | undefined;
  /** The commit that the head named, and that git has lost wholly or in part. */
  readonly lost?: string;
  /** Landings, oldest first, that the user's branch never had: they go through the queue again. */
  readonly requeue: readonly string[];
  /** Landings, oldest first, that it had and no longer has: the user took them out. */
  readonly removed: readonly string[];
}

export interface AdoptOptions {
  readonly epoch: RefValue;
  readonly known: () => Promise<KnownChain>;
  /**
   * Stores the decision. It is called before the head moves, so that a crash in between forgets nothing; it is then called again, so it
   * must be safe to repeat.
   */
  readonly store: (adopted: Adopted) => Promise<void>;
  /** Called when somebody else has moved the head to this commit; a pin keeps the commit, and the head was put back. */
  readonly foreign: (found: { readonly at: string; readonly pin: string; readonly back: string }) => Promise<void>;
}

/**
 * Follows the user's branch. If it is ahead of the head, the head follows it. If it is behind, landings wait to be published. If the two
 * have diverged, or the branch lost something that it once had, the user's branch wins: a pin keeps the old head, and the landings that the
 * branch never had go through the queue again. Safe to repeat.
 */
export async function adopt(repo: Repo, target: string, options: AdoptOptions): Promise<Adopted> {
  const ref = headRef(target);
  for (let tries = 0; tries < 10; tries++) {
    const [head, user, seen] = await resolveAll(repo, [ref, `refs/heads/${target}`, seenRef(target)]);
    if (user === undefined) {
      const hint = `git branch ${target} ${head ?? '<commit>'}, or set target: in furrow.yaml`;
      throw new FurrowError('TARGET_MISSING', `there is no branch ${target}`, { hint });
    }
    const told = await options.known();
    const lost = head === undefined ? await rawValue(repo, ref) : head === told.torn ? head : undefined;
    if (lost !== undefined) {
      const next = await beginAgain(repo, user, lost, told);
      await options.store(next);
      if ((await moveRef(repo, { ref, to: user, from: lost, epoch: options.epoch })).moved) return next;
      continue;
    }
    // Git has removed this commit, so the head cannot go back to it.
    const known = { ...told, head: told.head === head ? head : told.head && (await resolve(repo, told.head)) };
    if (!(await isKnown(repo, known, { head, user, seen }))) {
      await putBack(repo, { ref, head, to: known.head ?? user }, known, options);
      continue;
    }
    const next = await compare(repo, { head, user, seen }, known);
    if (next.moved === 'diverged') await createRef(repo, divergedPin(head!), head!);
    await pinUnpublished(repo, next.requeue);
    if (next.moved !== 'none') await options.store(next);
    const moved = next.moved === 'none' || (await moveRef(repo, { ref, to: next.head, from: head ?? null, epoch: options.epoch })).moved;
    if (!moved) continue;
    if (seen !== user) await remember(repo, target, user);
    return next;
  }
  throw new FurrowError('TRY_AGAIN', `${target} keeps moving`, { hint: 'furrow queue' });
}

/**
 * The head and the user's branch, if `adopt` would find nothing to do; `undefined`: somebody has moved one of them since its last call, or
 * a commit is gone. It changes nothing.
 */
export async function asAdopted(repo: Repo, target: string, known: KnownChain): Promise<{ head: string; user: string } | undefined> {
  const [head, user, seen] = await resolveAll(repo, [headRef(target), `refs/heads/${target}`, seenRef(target)]);
  if (head === undefined || user === undefined || head !== known.head || head === known.torn) return undefined;
  // An agent may have moved a branch that is neither where furrow put it nor where it was left.
  const ours = user === head || known.landings.get(user)?.published === true;
  if (!ours && user !== seen) return undefined;
  return (await compare(repo, { head, user, seen }, known)).moved === 'none' ? { head, user } : undefined;
}

/** A gc has taken the head's commit, or something behind it. All unpublished landings are queued again on the user's branch. */
async function beginAgain(repo: Repo, user: string, lost: string, { landings }: KnownChain): Promise<Adopted> {
  const requeue: string[] = [];
  for (const [commit, { published }] of landings) {
    const there = !published && (await resolve(repo, commit));
    // A crash may have come between the move of the branch and the write to the store.
    if (published || (there && (await onBranch(repo, commit, user)))) continue;
    requeue.push(commit);
    if (there && (await areConnected(repo, [commit], [user]))) await pinUnpublished(repo, [commit]);
  }
  return { head: user, moved: 'created', lost, requeue, removed: [] };
}

/** A gap in the history is no error here. */
const onBranch = (repo: Repo, commit: string, user: string) => isAncestor(repo, commit, user).catch(() => false);

interface Refs {
  readonly head: string | undefined;
  readonly user: string;
  readonly seen: string | undefined;
}

/** True if the head is where the store says. A store of an earlier version knows it by its last landing, or not at all. */
async function isKnown(repo: Repo, known: KnownChain, { head, user, seen }: Refs): Promise<boolean> {
  if (head === known.head) return true;
  // Nothing has landed yet, or a landing moved the head and the daemon was killed before it could store that.
  if (head === undefined || known.head !== undefined) return false;
  return known.landings.has(head) || head === seen || (await isAncestor(repo, head, user));
}

/**
 * Puts the head back to where the store says. An unknown commit there is pinned and reported, because it has passed no check of ours. A
 * commit that was ours is the trace of a crash between the store and the ref.
 */
async function putBack(
  repo: Repo,
  { ref, head, to }: { ref: string; head: string | undefined; to: string },
  known: KnownChain,
  { epoch, foreign }: AdoptOptions,
): Promise<void> {
  const ours =
    head === undefined || known.landings.has(head) || (await resolve(repo, divergedPin(head))) || (await isAncestor(repo, head, to));
  const pin = `refs/furrow/pin/foreign/${head}`;
  if (!ours) await createRef(repo, pin, head);
  const moved = await moveRef(repo, { ref, to, from: head ?? null, epoch });
  if (!ours && moved.moved) await foreign({ at: head, pin, back: to });
}

async function compare(repo: Repo, { head, user, seen }: Refs, { landings }: KnownChain): Promise<Adopted> {
  const stays = { requeue: [], removed: [] };
  if (head === undefined) return { head: user, moved: 'created', ...stays };
  if (head === user) return { head, moved: 'none', ...stays };
  if (await isAncestor(repo, head, user)) return { head: user, moved: 'followed', from: head, ...stays };
  const lost = await chain(repo, head, [user]);
  const unseen = new Set(seen === undefined ? lost : await chain(repo, head, [user, seen]));
  // A commit that is no landing came from the branch itself, even if a crash kept us from noting that.
  const had = (commit: string) => landings.get(commit)?.published !== false || !unseen.has(commit);
  if ((await isAncestor(repo, user, head)) && !lost.some(had)) return { head, moved: 'none', ...stays };
  const ours = lost.filter((commit) => landings.has(commit));
  return { head: user, moved: 'diverged', from: head, requeue: ours.filter((one) => !had(one)), removed: ours.filter(had) };
}

/** The first-parent commits of a head that others lack, oldest first. */
async function chain(repo: Repo, head: string, not: readonly string[]): Promise<string[]> {
  const out = await git(repo, ['rev-list', '--first-parent', '--reverse', head, ...not.map((oid) => `^${oid}`)]);
  return out.split('\n').filter(Boolean);
}

/** Heads that the user's branch has left are kept below this. */
export const DIVERGED = 'refs/furrow/pin/diverged/';

const divergedPin = (head: string) => `${DIVERGED}${head}`;

/** Notes the commit that the target is at. It tells a commit that the user took out from one that never was on the target. */
export async function remember(repo: Repo, target: string, oid: string): Promise<void> {
  await setRef(repo, seenRef(target), oid);
}
