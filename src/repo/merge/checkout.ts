import { join } from 'node:path';
import type { Finished } from '../../platform/exec.ts';
import { faultPoint } from '../../platform/fault.ts';
import { git, type Repo, tryGit } from '../../platform/git/run.ts';
import { withScratch } from '../../platform/git/scratch.ts';
import { listed, type Refusal, refusal } from './checkout-refusal.ts';
import { refuseFiltered } from './filters.ts';
import { copyIndex, type HeldIndex, type OnCopy, onCopy } from './held-index.ts';
import { inTheWay, takenAway } from './in-the-way.ts';
import type { Move } from './move.ts';

/**
 * Tries the move without touching a file; `undefined` when it would change nothing of the user's. It uses a copy of the index: a lock on
 * the real one would make the user's own git fail, often for nothing.
 */
export async function rehearse(repo: Repo, move: Move): Promise<Refusal | undefined> {
  return withScratch(repo, async (folder) => {
    const copy = join(folder, 'index');
    await copyIndex(move.gitDir, copy);
    await faultPoint('publish.copied');
    return tryOn(repo, move, onCopy(move.path, copy));
  });
}

async function tryOn(repo: Repo, move: Move, on: OnCopy): Promise<Refusal | undefined> {
  const filtered = await refuseFiltered(repo, move);
  if (filtered) return filtered;
  const occupied = await unlisted(repo, move, on);
  if (occupied) return occupied;
  const tried = await readTree(repo, ['-n', move.from, move.to], on);
  return tried.code === 0 ? undefined : blockers(repo, move, on, tried.stderr);
}

/** Refuses a move over files that git itself would overwrite without a message. */
async function unlisted(repo: Repo, move: Move, on: OnCopy): Promise<Refusal | undefined> {
  const strange = await inTheWay(repo, move, on);
  if (strange.length > 0) return refusal(`not in git but in the way: ${listed(strange)}`, strange);
  const gone = await takenAway(repo, move, on);
  return gone.length > 0 ? refusal(`waits for your deletion of ${listed(gone)}`, gone) : undefined;
}

/** A file that was only touched is no change: if git calls one changed, it is told to look into all of them, and asked again. */
async function readTree(repo: Repo, words: readonly string[], on: OnCopy): Promise<Finished> {
  const args = ['-c', 'submodule.recurse=false', 'read-tree', '-m', '-u', ...words];
  const tried = await tryGit(repo, args, on);
  if (tried.code === 0 || !tried.stderr.includes('not uptodate')) return tried;
  await tryGit(repo, ['update-index', '-q', '--refresh'], on);
  return tryGit(repo, args, on);
}

/** Names the reason why git refused: the user's changes on paths that the move changes, else git's own message. */
async function blockers(repo: Repo, move: Move, on: OnCopy, stderr: string): Promise<Refusal> {
  // Not `status`: after a crash the branch may be ahead of the files, and `status` would call the landing itself a change.
  const looks = [
    ['diff-files', '--name-only', '-z'],
    ['diff-index', '--cached', '--name-only', '--no-renames', '-z', move.from],
    ['ls-files', '--others', '--exclude-standard', '-z'],
  ];
  const lists = await Promise.all(looks.map((args) => git(repo, args, { ...on, encoding: 'latin1' })));
  const dirty = new Set(lists.flatMap((list) => list.split('\0')).filter(Boolean));
  const changed = move.changes.map((one) => one.path);
  const touches = (a: string, b: string) => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
  const hit = [...dirty].filter((path) => changed.some((one) => touches(one, path))).sort();
  if (hit.length > 0) return refusal(`waits for your changes to ${listed(hit)}`, hit);
  return refusal(`git refused: ${stderr.split('\n')[0]?.replace(/^error: /, '') ?? ''}`);
}

/** The message of a git that was writing: nothing of the user's was in its way, but the disk is full, say. */
const UNWRITTEN = /^(?:error|fatal): (unable to (?:create|write|unlink|checkout) .*)$/m;

/** Moves the files and the held copy of the index. Git refuses the whole move when it would hit changed, staged or untracked paths. */
export async function follow(repo: Repo, move: Move, held: HeldIndex): Promise<Refusal | undefined> {
  const occupied = await unlisted(repo, move, held.on);
  if (occupied) return occupied;
  const done = await readTree(repo, [move.from, move.to], held.on);
  const unwritten = done.code === 0 ? undefined : UNWRITTEN.exec(done.stderr)?.[1];
  if (unwritten !== undefined) return { ...refusal(`git is ${unwritten}`), half: true };
  if (done.code !== 0) return blockers(repo, move, held.on, done.stderr);
  held.changed = true;
  return undefined;
}
