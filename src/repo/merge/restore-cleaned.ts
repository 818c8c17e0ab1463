import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Repo, tryGit } from '../../platform/git/run.ts';
import { crossing, type KeeperOf } from './checkouts.ts';
import { GITLINK } from './conflict.ts';
import { onCopy } from './held-index.ts';
import { isAt } from './hold.ts';
import type { Move } from './move.ts';

/** A `git clean` of a large folder takes seconds; one that takes longer is not waited for. */
const CLEAN_MS = 10_000;
const LOOK_MS = 20;

/**
 * Puts back new files that were gone when their publication was over. A `git clean` that had read the index before ours was in
 * place takes them for untracked and removes them; `git status` would then show them as deleted, and the next `commit -a` would
 * take them out of the branch. Nobody else can have meant it: no file was there longer than the publication took.
 */
export async function restoreSwept(repo: Repo, moves: readonly Move[], keeperOf?: KeeperOf): Promise<void> {
  for (const move of moves) {
    await cleaned(move, keeperOf);
    const gone = move.changes.filter(({ status, mode, path }) => status === 'A' && mode !== GITLINK && isGone(move, path));
    if (gone.length === 0 || !(await isAt(repo, move.to, move))) continue;
    const input = Buffer.from(gone.map(({ path }) => `${path}\0`).join(''), 'latin1');
    // From the index: what a person has removed from it since stays away. Files that are there again are not touched.
    await tryGit(repo, ['checkout-index', '--quiet', '-z', '--stdin'], { ...onCopy(move.path, join(move.gitDir, 'index')), input });
  }
}

/** Waits for a `git clean` that is at work in the checkout. Nothing tells of the end of a process that is not ours: it is looked for. */
async function cleaned(move: Move, keeperOf: KeeperOf | undefined): Promise<void> {
  const cleans = () => crossing({ on: [move], off: [], kept: [] }, keeperOf).some(({ verb }) => verb === 'clean');
  for (let waited = 0; waited < CLEAN_MS && cleans(); waited += LOOK_MS) await sleep(LOOK_MS);
}

function isGone({ path: root }: Move, path: string): boolean {
  const at = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
  return lstatSync(at, { throwIfNoEntry: false }) === undefined;
}
