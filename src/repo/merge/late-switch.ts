import { join } from 'node:path';
import { lockingGit } from '../../platform/git/own-locks.ts';
import { reflog } from '../../platform/git/reflog.ts';
import { isAncestor, resolve } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';
import { type Checkout, checkoutsOf, crossing, type KeeperOf } from './checkouts.ts';
import { followAll, holdAll, letGo } from './hold.ts';
import { type Move, movesOf } from './move.ts';
import { isWhollyBehind } from './resync.ts';

interface Late {
  readonly to: string;
  readonly keeperOf?: KeeperOf | undefined;
}

/**
 * Checkouts whose switch to the branch read its value before we moved it, and wrote HEAD after. They have the old files on the new commit:
 * `git status` shows the reverse of the landing, and the next commit would undo it. Only checkouts for which this is proven.
 */
export async function laggards(repo: Repo, target: string, { to, keeperOf }: Late): Promise<Move[]> {
  const checkouts = await checkoutsOf(repo, `refs/heads/${target}`, keeperOf);
  if ('reason' in checkouts) return [];
  const found: Move[] = [];
  for (const checkout of checkouts.on) {
    const from = await overtakenAt(repo, target, checkout, to);
    const moves = from === undefined ? [] : await movesOf(repo, [checkout], from, to);
    for (const move of moves) if (await isWhollyBehind(repo, move)) found.push(move);
  }
  return found;
}

/**
 * Completes such switches, and returns the paths of their checkouts. Safe to repeat; a checkout where a git is at work is left for later.
 */
export async function bringAlong(repo: Repo, target: string, { to, keeperOf }: Late): Promise<string[]> {
  const ref = `refs/heads/${target}`;
  const done: string[] = [];
  for (const move of await laggards(repo, target, { to, keeperOf })) {
    const hold = await holdAll(repo, [move], []);
    if ('reason' in hold) continue;
    try {
      const alone = crossing({ on: [move], off: [], kept: [] }, keeperOf).length === 0 && (await resolve(repo, ref)) === to;
      const whole = alone && (await isWhollyBehind(repo, move, hold.held[0]!.index.on));
      if (!whole || (await followAll(repo, hold, false))) continue;
      done.push(move.path);
      await noteArrival(repo, ref, move, to);
    } finally {
      await letGo(hold);
    }
  }
  return done;
}

/** Notes in HEAD's reflog where the checkout is now: what a person stages from here on is theirs. */
async function noteArrival(repo: Repo, ref: string, { path, gitDir }: Checkout, to: string): Promise<void> {
  const locks = [join(gitDir, 'HEAD.lock'), join(repo.gitDir, `${ref}.lock`)];
  await lockingGit(repo, locks, ['update-ref', '-m', 'furrow: complete the switch', 'HEAD', to, to], { cwd: path });
}

/**
 * The commit that a checkout's switch took for the branch's value, if the branch had moved on by then: HEAD's reflog has the commit and the
 * second, the branch's own reflog tells when the branch left it.
 */
async function overtakenAt(repo: Repo, target: string, { path }: Checkout, to: string): Promise<string | undefined> {
  const [arrival] = await reflog(repo, path, 'HEAD', 1);
  if (!arrival || arrival.oid === to || !arrival.message.startsWith('checkout: moving from ')) return undefined;
  if (!arrival.message.endsWith(` to ${target}`) || !(await isAncestor(repo, arrival.oid, to))) return undefined;
  const moves = await reflog(repo, path, `refs/heads/${target}`, 50);
  const before = moves.findIndex(({ oid }) => oid === arrival.oid);
  const left = before > 0 ? moves[before - 1] : undefined;
  return left && arrival.at >= left.at ? arrival.oid : undefined;
}
