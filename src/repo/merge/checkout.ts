import { lstat, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Finished } from '../../platform/exec.ts';
import { faultPoint } from '../../platform/fault.ts';
import { bytePath } from '../../platform/files.ts';
import { git, type Repo, tryGit } from '../../platform/git/run.ts';
import { withScratch } from '../../platform/git/scratch.ts';
import { listed, type Refusal, refusal } from './checkout-refusal.ts';
import { GITLINK } from './file-modes.ts';
import { refuseFiltered } from './filters.ts';
import { copyIndex, type HeldIndex, type OnCopy, onCopy } from './held-index.ts';
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

/**
 * Untracked files on disk at the places where the move writes. Since 2.34 `read-tree -u` overwrites ignored files: it overwrote an ignored
 * `.env`, and emptied a folder of ignored files to put a file in its place.
 */
async function inTheWay(repo: Repo, move: Move, on: OnCopy): Promise<string[]> {
  const added = move.changes.filter((one) => one.status !== 'D' && one.status !== 'M').map((one) => one.path);
  const there = new Set((await Promise.all(added.map((path) => occupied(move.path, path)))).flat());
  if (there.size === 0) return [];
  const tracked = new Set((await git(repo, ['ls-files', '-z'], { ...on, encoding: 'latin1' })).split('\0'));
  return [...there].filter((path) => !tracked.has(path));
}

/**
 * Paths of the move that the user has deleted without telling git, or covered with a link: `read-tree -u` would write them again, and
 * replace the link by a folder. A path that the landing deletes too may be gone, but not be behind a link. Paths that a sparse checkout
 * leaves out do not count as deleted.
 */
async function takenAway(repo: Repo, move: Move, on: OnCopy): Promise<string[]> {
  const known = move.changes.filter((one) => one.status !== 'A' && one.mode !== GITLINK);
  const looked = await Promise.all(known.map(async ({ path, status }) => ({ path, status, how: await reach(move.path, path) })));
  const gone = looked.filter(({ how, status }) => how === 'linked' || (how === 'missing' && status !== 'D')).map(({ path }) => path);
  if (gone.length === 0) return [];
  const listing = await git(repo, ['ls-files', '-z', '-t'], { ...on, encoding: 'latin1' });
  // A path that is not in the index was deleted there, and git itself refuses.
  const here = new Set(listing.split('\0').flatMap((line) => (line.startsWith('H ') ? [line.slice(2)] : [])));
  return gone.filter((path) => here.has(path));
}

async function reach(root: string, path: string): Promise<'there' | 'missing' | 'linked'> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth++) {
    const found = await lstat(bytePath(root, parts.slice(0, depth).join('/'))).catch(() => undefined);
    if (!found) return 'missing';
    if (!found.isDirectory()) return 'linked';
  }
  return (await lstat(bytePath(root, path)).catch(() => undefined)) ? 'there' : 'missing';
}

/** The files on a path: the first part that is no folder, or every file below it. */
async function occupied(root: string, path: string): Promise<string[]> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = parts.slice(0, depth).join('/');
    const found = await lstat(bytePath(root, part)).catch(() => undefined);
    if (!found) return [];
    if (!found.isDirectory()) return [part];
  }
  return filesBelow(root, path);
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(bytePath(root, folder), { withFileTypes: true, encoding: 'latin1' });
  const found = entries.map((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
  return (await Promise.all(found)).flat();
}
