import { join } from 'node:path';
import { type IndexEntry, readIndex } from '../../platform/git/index-file.ts';
import { git, type Repo, tryGit } from '../../platform/git/run.ts';
import { withScratch } from '../../platform/git/scratch.ts';
import { type HeldIndex, type OnCopy, onCopy } from './held-index.ts';
import type { Change, Move } from './move.ts';

/**
 * True if a checkout's index still has the old side of the move somewhere. It asks only about paths of the move: `diff-index --quiet` would
 * also see what the user has staged elsewhere.
 */
export async function isBehind(repo: Repo, move: Move, on: Partial<OnCopy> = { cwd: move.path }): Promise<boolean> {
  const staged = await differing(repo, move, on);
  return move.changes.some((one) => !staged.has(one.path));
}

/** True if the index has the old side of every path of the move, as in a checkout made before the branch moved. */
export async function isWhollyBehind(repo: Repo, move: Move, on: Partial<OnCopy> = { cwd: move.path }): Promise<boolean> {
  const staged = await differing(repo, move, on);
  return move.changes.every((one) => !staged.has(one.path));
}

/** Paths in the index that differ from the old side: all such paths of the move, and perhaps others. */
async function differing(repo: Repo, move: Move, on: Partial<OnCopy>): Promise<Set<string>> {
  const entries = await readIndex(on.env?.['GIT_INDEX_FILE'] ?? join(move.gitDir, 'index'));
  if (entries?.every(({ marked, stage }) => !marked && stage === 0)) return changedIn(entries, move);
  const args = ['diff-index', '--cached', '--name-only', '--no-renames', '-z', move.from];
  return new Set((await git(repo, args, { ...on, encoding: 'latin1' })).split('\0').filter(Boolean));
}

function changedIn(entries: readonly IndexEntry[], { changes }: Move): Set<string> {
  const paths = new Set(changes.map(({ path }) => path));
  const staged = new Map(entries.filter(({ path }) => paths.has(path)).map(({ path, mode, oid }) => [path, `${mode.toString(8)} ${oid}`]));
  const before = ({ status, old }: Change) => (status === 'A' ? undefined : `${old.mode} ${old.oid}`);
  return new Set(changes.filter((one) => staged.get(one.path) !== before(one)).map(({ path }) => path));
}

/**
 * After a power cut in the middle of `read-tree -u` some files are new while the index is old, so git takes them for the user's changes and
 * refuses. This stages files that equal the new side byte for byte; it writes no file.
 */
export async function absorb(repo: Repo, move: Move, held: HeldIndex): Promise<void> {
  const staged = await differing(repo, move, held.on);
  const open = move.changes.filter((one) => one.status !== 'D' && !staged.has(one.path));
  const info = (list: typeof open) => Buffer.from(list.map((one) => `${one.mode} ${one.oid}\t${one.path}\0`).join(''), 'latin1');
  await withScratch(repo, async (folder) => {
    const scratch = onCopy(move.path, join(folder, 'index'));
    await git(repo, ['update-index', '-z', '--index-info'], { ...scratch, input: info(open) });
    await tryGit(repo, ['update-index', '-q', '--refresh'], scratch);
    const out = await git(repo, ['diff-files', '--name-only', '-z'], { ...scratch, encoding: 'latin1' });
    const differs = new Set(out.split('\0').filter(Boolean));
    const same = open.filter((one) => !differs.has(one.path));
    if (same.length === 0) return;
    await git(repo, ['update-index', '--add', '--replace', '-z', '--index-info'], { ...held.on, input: info(same) });
    held.changed = true;
  });
}
