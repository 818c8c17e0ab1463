import { lstatSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Repo, tryGit } from '../../platform/git/run.ts';
import { crossing, type KeeperOf } from './checkouts.ts';
import { GITLINK } from './file-modes.ts';
import { onCopy } from './held-index.ts';
import { isAt } from './hold.ts';
import type { Move } from './move.ts';

/** A `git clean` of a large folder takes seconds; this waits no longer. */
const CLEAN_MS = 10_000;
const LOOK_MS = 20;

/**
 * Restores new files that were gone when their publication was over. A `git clean` that had read the index before ours was in place takes
 * them for untracked and removes them; the next `commit -a` would then delete them from the branch. Nobody can have meant that: no file was
 * there longer than the publication took.
 */
export async function restoreSwept(repo: Repo, moves: readonly Move[], keeperOf?: KeeperOf): Promise<void> {
  for (const move of moves) {
    await cleaned(move, keeperOf);
    const gone = move.changes.filter(({ status, mode, path }) => status === 'A' && mode !== GITLINK && isGone(move, path));
    if (gone.length === 0 || !(await isAt(repo, move.to, move))) continue;
    const input = Buffer.from(gone.map(({ path }) => `${path}\0`).join(''), 'latin1');
    // From the index: a file that a person has removed from it since stays away. Existing files are not touched.
    await tryGit(repo, ['checkout-index', '--quiet', '-z', '--stdin'], { ...onCopy(move.path, join(move.gitDir, 'index')), input });
  }
}

/** Waits for a `git clean` in the checkout by looking for it: no event tells the end of a process that is not ours. */
async function cleaned(move: Move, keeperOf: KeeperOf | undefined): Promise<void> {
  const cleans = () => crossing({ on: [move], off: [], kept: [] }, keeperOf).some(({ verb }) => verb === 'clean');
  for (let waited = 0; waited < CLEAN_MS && cleans(); waited += LOOK_MS) await sleep(LOOK_MS);
}

function isGone({ path: root }: Move, path: string): boolean {
  const at = Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
  return lstatSync(at, { throwIfNoEntry: false }) === undefined;
}
