import { lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { clearOwnLocks } from '../platform/git/own-locks.ts';
import { operationInProgress, worktrees } from '../platform/git/repository.ts';
import { git, type Repo, tryGit } from '../platform/git/run.ts';
import { filteredPaths } from './filters.ts';
import { copyIndex, type HeldIndex, type OnCopy, onCopy } from './held-index.ts';

/** Why a checkout cannot follow now, and the user's paths that are in the way. */
export interface Refusal {
  readonly reason: string;
  readonly paths: readonly string[];
}

/** A move of a checkout's files from one commit to another. Paths below are latin1: one character a byte, whatever they are. */
export interface Move {
  readonly path: string;
  /** Its own git folder, where its index is. */
  readonly gitDir: string;
  readonly from: string;
  readonly to: string;
  readonly changes: readonly Change[];
}

/** One path that a move changes, with its new side. */
export interface Change {
  readonly status: string;
  readonly mode: string;
  readonly oid: string;
  readonly path: string;
}

export const refusal = (reason: string, paths: readonly string[] = []): Refusal => ({ reason, paths: paths.map(shown) });
const shown = (path: string) => Buffer.from(path, 'latin1').toString('utf8');

/** Names five paths and counts the rest. */
function listed(paths: readonly string[]): string {
  const rest = paths.length > 5 ? ` and ${paths.length - 5} more` : '';
  return paths.slice(0, 5).map(shown).join(', ') + rest;
}

/** The move in each worktree that has the branch checked out. One whose folder is gone follows nothing. */
export async function movesOf(repo: Repo, ref: string, from: string, to: string): Promise<Move[]> {
  const checkouts = (await worktrees(repo)).filter((one) => one.branch === ref && !one.prunable);
  if (checkouts.length === 0) return [];
  const changes = await changesBetween(repo, from, to);
  return Promise.all(
    checkouts.map(async ({ path }) => ({
      path,
      gitDir: await git(repo, ['rev-parse', '--absolute-git-dir'], { cwd: path }),
      from,
      to,
      changes,
    })),
  );
}

/** Somebody half-way through something in the checkout. Who only writes its index is waited for by `holdIndex`. */
export async function busyIn(repo: Repo, move: Move): Promise<Refusal | undefined> {
  await clearOwnLocks(repo);
  const busy = await operationInProgress(move.gitDir);
  return busy && busy !== 'index.lock' ? refusal(`${busy} in progress in ${move.path}`) : undefined;
}

/**
 * Tries the move without touching a file: `undefined` when it would change nothing of the user's. On a copy of the index: the
 * user's own git fails on its lock, and a rehearsal is often in vain.
 */
export async function rehearse(repo: Repo, move: Move): Promise<Refusal | undefined> {
  const busy = await busyIn(repo, move);
  if (busy) return busy;
  const folder = await mkdtemp(join(tmpdir(), 'furrow-index-'));
  try {
    const copy = join(folder, 'index');
    await copyIndex(move.gitDir, copy);
    return await tryOn(repo, move, onCopy(move.path, copy));
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function tryOn(repo: Repo, move: Move, on: OnCopy): Promise<Refusal | undefined> {
  await refresh(repo, on);
  const filtered = await filteredPaths(repo, move);
  if (filtered.length > 0) {
    return refusal(`${listed(filtered)} must pass a filter of yours: git merge --ff-only ${move.to.slice(0, 12)}`, filtered);
  }
  const ignored = await inTheWay(repo, move, on);
  if (ignored.length > 0) return refusal(`not in git but in the way: ${listed(ignored)}`, ignored);
  const tried = await tryGit(repo, ['read-tree', '-m', '-u', '-n', move.from, move.to], on);
  return tried.code === 0 ? undefined : blockers(repo, move, on, tried.stderr);
}

/** A file that was only touched is no change. Exit 1 means that some are. */
const refresh = (repo: Repo, on: OnCopy) => tryGit(repo, ['update-index', '-q', '--refresh'], on);

/** Names what made git refuse: the user's changes on paths that the move changes, else git's own words. */
async function blockers(repo: Repo, move: Move, on: OnCopy, stderr: string): Promise<Refusal> {
  // Not `status`: after a crash the branch may be ahead of the files, and it would call the landing itself a change.
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

/** Moves the files, and the copy of the index that is held. git refuses as a whole when it would hit changed, staged or untracked paths. */
export async function follow(repo: Repo, move: Move, held: HeldIndex): Promise<Refusal | undefined> {
  const ignored = await inTheWay(repo, move, held.on);
  if (ignored.length > 0) return refusal(`not in git but in the way: ${listed(ignored)}`, ignored);
  await refresh(repo, held.on);
  const args = ['-c', 'submodule.recurse=false', 'read-tree', '-m', '-u', move.from, move.to];
  const done = await tryGit(repo, args, held.on);
  if (done.code !== 0) return blockers(repo, move, held.on, done.stderr);
  held.changed = true;
  return undefined;
}

async function changesBetween(repo: Repo, from: string, to: string): Promise<Change[]> {
  const fields = (await git(repo, ['diff-tree', '-r', '-z', '--no-renames', from, to], { encoding: 'latin1' })).split('\0');
  const list: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [, mode = '', , oid = '', status = ''] = fields[at]!.split(' ');
    list.push({ status, mode, oid, path: fields[at + 1]! });
  }
  return list;
}

/**
 * Files on disk that git does not have, where the move puts something. Since 2.34 `read-tree -u` takes ignored files for
 * worthless: it overwrote an ignored `.env`, and emptied a folder of ignored files to put a file in its place.
 */
async function inTheWay(repo: Repo, move: Move, on: OnCopy): Promise<string[]> {
  const added = move.changes.filter((one) => one.status !== 'D' && one.status !== 'M').map((one) => one.path);
  const there = new Set((await Promise.all(added.map((path) => occupied(move.path, path)))).flat());
  if (there.size === 0) return [];
  const tracked = new Set((await git(repo, ['ls-files', '-z'], { ...on, encoding: 'latin1' })).split('\0'));
  return [...there].filter((path) => !tracked.has(path));
}

/** What lies on a path: the first thing on the way that is no folder, or every file below it. */
async function occupied(root: string, path: string): Promise<string[]> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = parts.slice(0, depth).join('/');
    const found = await lstat(onDisk(root, part)).catch(() => undefined);
    if (!found) return [];
    if (!found.isDirectory()) return [part];
  }
  return filesBelow(root, path);
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(onDisk(root, folder), { withFileTypes: true, encoding: 'latin1' });
  const found = entries.map((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
  return (await Promise.all(found)).flat();
}

const onDisk = (root: string, path: string) => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(path, 'latin1')]);
