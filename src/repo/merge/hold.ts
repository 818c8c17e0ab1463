import { type Repo, tryGit } from '../../platform/git/run.ts';
import { follow } from './checkout.ts';
import { type Refusal, refusal } from './checkout-refusal.ts';
import type { Checkout } from './checkouts.ts';
import { type HeldIndex, holdIndex, lockIndex } from './held-index.ts';
import { type Move, movesOf } from './move.ts';
import { absorb, isBehind } from './resync.ts';
import { noteTorn, restoreTorn } from './torn-files.ts';

/** The indexes that no other git can write while a branch moves. */
export interface Hold {
  readonly held: readonly { readonly move: Move; readonly index: HeldIndex }[];
  /** Releases the indexes of checkouts that do not follow. */
  letOthersGo(): Promise<void>;
}

/**
 * Holds the index of every checkout that follows, or none. Of the others it holds those that are free: a `commit -a` on another branch
 * keeps its index while its editor is open, and does not matter here.
 */
export async function holdAll(repo: Repo, moves: readonly Move[], others: readonly Checkout[]): Promise<Hold | Refusal> {
  const held: { move: Move; index: HeldIndex }[] = [];
  const locks: (() => Promise<void>)[] = [];
  const hold = { held, letOthersGo: async () => void (await Promise.all(locks.splice(0).map((release) => release()))) };
  for (const move of moves) {
    const index = await holdIndex(repo, move);
    if (!index) {
      await letGo(hold);
      return refusal(`git is busy in ${move.path}`);
    }
    held.push({ move, index });
  }
  for (const { gitDir } of others) locks.push(...[await lockIndex(repo, gitDir)].filter((release) => release !== undefined));
  return hold;
}

export async function letGo(hold: Hold): Promise<void> {
  await hold.letOthersGo();
  for (const { index } of hold.held) await index.letGo();
}

/** Moves the files of every held checkout. `again`: after a crash, so some files may be new already. */
export async function followAll(repo: Repo, { held }: Hold, again: boolean): Promise<Refusal | undefined> {
  for (const { move, index } of held) {
    // Files are never written into a worktree that has left their commit. After `git switch --create` it has only left the branch.
    if (!(await isAt(repo, move.to, move)) || !(await isBehind(repo, move, index.on))) continue;
    if (again) await absorb(repo, move, index);
    const refused = await follow(repo, move, index);
    if (refused?.half) await noteTorn(repo, move);
    if (refused) return refused;
    if (!(await isAt(repo, move.to, move))) await putBack(repo, move, index);
  }
  return undefined;
}

/** True if a checkout's HEAD is this commit, whatever branch it names. */
export const isAt = async (repo: Repo, commit: string, { path }: Checkout): Promise<boolean> =>
  (await tryGit(repo, ['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd: path })).stdout.trim() === commit;

const isOn = async (repo: Repo, ref: string, { path }: Checkout): Promise<boolean> =>
  (await tryGit(repo, ['symbolic-ref', '--quiet', 'HEAD'], { cwd: path })).stdout.trim() === ref;

/** HEAD left the commit while its files were written: restores the files, and leaves the index as it is. */
async function putBack(repo: Repo, move: Move, index: HeldIndex): Promise<void> {
  const [back] = await movesOf(repo, [move], move.to, move.from);
  if (back && !(await follow(repo, back, index))) index.changed = false;
}

/** Moves the files back after the branch was taken back. */
export async function returnAll(repo: Repo, ref: string, { held }: Hold): Promise<void> {
  for (const { move, index } of held) {
    const [back] = await movesOf(repo, [move], move.to, move.from);
    if (back && (await isOn(repo, ref, move)) && (await isBehind(repo, back, index.on))) await follow(repo, back, index);
    // If there is still no room, the next publication starts with this.
    await restoreTorn(repo, move).catch(() => {});
  }
}
