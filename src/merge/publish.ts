import { faultPoint } from '../platform/fault.ts';
import { isAncestor, moveRef, type RefValue, resolve } from '../platform/git/refs.ts';
import type { Repo } from '../platform/git/run.ts';
import { remember } from './adopt.ts';
import { busyIn, follow, type Move, movesOf, type Refusal, refusal, rehearse } from './checkout.ts';
import { absorb, isBehind } from './resync.ts';

export interface Publication {
  readonly old: string;
  readonly new: string;
}

export type Published = { readonly published: true } | ({ readonly published: false } & Refusal);

const later = (why: Refusal): Published => ({ published: false, ...why });

/**
 * Lets the user's branch follow the head, and every checkout of it, where that touches no byte of theirs; otherwise says
 * what is in the way. Tried before the ref moves: moving first left users with the reverse of the change staged.
 * Safe to repeat at any point; a publication that a crash cut short is completed or taken back.
 */
export async function publish(repo: Repo, target: string, publication: Publication & { epoch: RefValue }): Promise<Published> {
  const { old, new: to, epoch } = publication;
  const ref = `refs/heads/${target}`;
  const at = await resolve(repo, ref);
  if (at !== old && at !== to) return later(refusal(`${target} has moved to ${at ?? 'nowhere'}`));
  if (!(await isAncestor(repo, old, to))) return later(refusal(`${target} has commits of its own`));
  const moves = await movesOf(repo, ref, old, to);
  if (at === to) {
    // Cut short by a crash: our own git from before may still be writing. Taking the branch back would cross it.
    const busy = await firstRefusal(moves, (move) => busyIn(repo, move));
    if (busy) return later(busy);
  } else {
    const refused = await firstRefusal(moves, (move) => rehearse(repo, move));
    if (refused) return later(refused);
    await faultPoint('publish.rehearsed');
    const moved = await moveRef(repo, { ref, to, from: old, epoch });
    if (!moved.moved) return later(refusal(`${target} moved meanwhile`));
    await faultPoint('publish.moved');
  }
  const refused = await followAll(repo, moves, at === to);
  await faultPoint('publish.followed');
  if (refused) return takeBack(repo, target, publication, refused);
  const now = await resolve(repo, ref);
  if (now !== undefined && (now === to || (await isAncestor(repo, to, now)))) return { published: true };
  return later(refusal(`${target} moved meanwhile`));
}

async function firstRefusal(moves: readonly Move[], ask: (move: Move) => Promise<Refusal | undefined>): Promise<Refusal | undefined> {
  for (const move of moves) {
    const refused = await ask(move);
    if (refused) return refused;
  }
  return undefined;
}

/** `again`: a crash came in between, so files may be new already. */
async function followAll(repo: Repo, moves: readonly Move[], again: boolean): Promise<Refusal | undefined> {
  return firstRefusal(moves, async (move) => {
    if (!(await isBehind(repo, move))) return undefined;
    if (again) await absorb(repo, move);
    return follow(repo, move);
  });
}

/** The only backward move of the branch, and only while it is still where we put it: the files could not follow after all. */
async function takeBack(
  repo: Repo,
  target: string,
  { old, new: to, epoch }: Publication & { epoch: RefValue },
  why: Refusal,
): Promise<Published> {
  // First what we remember: a branch found behind it would pass for one that the user moved back.
  await remember(repo, target, old);
  const ref = `refs/heads/${target}`;
  const moved = await moveRef(repo, { ref, to: old, from: to, epoch });
  if (!moved.moved) return later(why);
  for (const move of await movesOf(repo, ref, to, old)) if (await isBehind(repo, move)) await follow(repo, move);
  return later(why);
}

/** After a crash: is everything at the new commit, is it all still to do, do only the files lag, or has the branch gone elsewhere? */
export async function probePublish(repo: Repo, target: string, { old, new: to }: Publication): Promise<'done' | 'todo' | 'sync' | 'lost'> {
  const ref = `refs/heads/${target}`;
  const at = await resolve(repo, ref);
  if (at === old) return 'todo';
  if (at === undefined) return 'lost';
  if (at !== to) return (await isAncestor(repo, to, at)) ? 'done' : 'lost';
  for (const move of await movesOf(repo, ref, old, to)) if (await isBehind(repo, move)) return 'sync';
  return 'done';
}
