import { faultPoint } from '../platform/fault.ts';
import { isAncestor, moveRef, type RefValue, resolve } from '../platform/git/refs.ts';
import type { Repo } from '../platform/git/run.ts';
import { remember } from './adopt.ts';
import { busyIn, follow, type Move, movesOf, type Refusal, refusal, rehearse } from './checkout.ts';
import { type HeldIndex, holdIndex } from './held-index.ts';
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
  }
  const held = await holdAll(repo, moves);
  if ('reason' in held) return later(held);
  try {
    if (at !== to) {
      const moved = await moveRef(repo, { ref, to, from: old, epoch });
      if (!moved.moved) return later(refusal(`${target} moved meanwhile`));
      await faultPoint('publish.moved');
    }
    const refused = await followAll(repo, held, at === to);
    if (refused) return await takeBack(repo, target, publication, held, refused);
  } finally {
    for (const { index } of held) await index.letGo();
  }
  await faultPoint('publish.followed');
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

interface Held {
  readonly move: Move;
  readonly index: HeldIndex;
}

/** Every index or none: what could be had is given back when one of them cannot. */
async function holdAll(repo: Repo, moves: readonly Move[]): Promise<Held[] | Refusal> {
  const held: Held[] = [];
  for (const move of moves) {
    const index = await holdIndex(repo, move);
    if (index) held.push({ move, index });
    else {
      for (const one of held) await one.index.letGo();
      return refusal(`git is busy in ${move.path}`);
    }
  }
  return held;
}

/** `again`: a crash came in between, so files may be new already. */
async function followAll(repo: Repo, held: readonly Held[], again: boolean): Promise<Refusal | undefined> {
  for (const { move, index } of held) {
    if (!(await isBehind(repo, move, index.on))) continue;
    if (again) await absorb(repo, move, index);
    const refused = await follow(repo, move, index);
    if (refused) return refused;
  }
  return undefined;
}

/** The only backward move of the branch, and only while it is still where we put it: the files could not follow after all. */
async function takeBack(
  repo: Repo,
  target: string,
  { old, new: to, epoch }: Publication & { epoch: RefValue },
  held: readonly Held[],
  why: Refusal,
): Promise<Published> {
  // First what we remember: a branch found behind it would pass for one that the user moved back.
  await remember(repo, target, old);
  const ref = `refs/heads/${target}`;
  const moved = await moveRef(repo, { ref, to: old, from: to, epoch });
  if (!moved.moved) return later(why);
  const back = await movesOf(repo, ref, to, old);
  for (const { move, index } of held) {
    const reverse = back.find((one) => one.path === move.path);
    if (reverse && (await isBehind(repo, reverse, index.on))) await follow(repo, reverse, index);
  }
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
