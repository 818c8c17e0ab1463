import { copyFile, lstat, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Finished } from '../platform/exec.ts';
import { clearOwnLocks, lockingGit } from '../platform/git/own-locks.ts';
import { operationInProgress, worktrees } from '../platform/git/repository.ts';
import { GitError, type GitOptions, git, type Repo, tryGit } from '../platform/git/run.ts';

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

/** A git of ours that takes the lock of a user's index. */
export async function indexGit(repo: Repo, move: Move, args: readonly string[], options: GitOptions = {}): Promise<Finished> {
  const done = await lockingGit(repo, [join(move.gitDir, 'index.lock')], args, { cwd: move.path, ...options });
  if (done.code === null) throw new GitError(args, done);
  return done;
}

/** Somebody half-way through something in the checkout, or writing its index. */
export async function busyIn(repo: Repo, move: Move): Promise<Refusal | undefined> {
  await clearOwnLocks(repo);
  const busy = await operationInProgress(move.gitDir);
  return busy ? refusal(`${busy} in progress in ${move.path}`) : undefined;
}

/** Tries the move without touching a file: `undefined` when it would change nothing of the user's. */
export async function rehearse(repo: Repo, move: Move): Promise<Refusal | undefined> {
  const busy = await busyIn(repo, move);
  if (busy) return busy;
  const filtered = await filteredPaths(repo, move);
  if (filtered.length > 0) {
    return refusal(`${listed(filtered)} must pass a filter of yours: git merge --ff-only ${move.to.slice(0, 12)}`, filtered);
  }
  const ignored = await inTheWay(repo, move);
  if (ignored.length > 0) return refusal(`not in git but in the way: ${listed(ignored)}`, ignored);
  return dryRun(repo, move);
}

/** In a copy of the index: even a dry run takes its lock, and while a publication waited the user's own `git commit` met it. */
async function dryRun(repo: Repo, move: Move): Promise<Refusal | undefined> {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-index-'));
  try {
    const copy = join(folder, 'index');
    // No index yet: a checkout without files has nothing in the way.
    await copyFile(join(move.gitDir, 'index'), copy).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'ENOENT') throw error;
    });
    const inside = { cwd: move.path, env: { GIT_INDEX_FILE: copy } };
    await tryGit(repo, ['update-index', '-q', '--refresh'], inside);
    const tried = await tryGit(repo, ['read-tree', '-m', '-u', '-n', move.from, move.to], inside);
    return tried.code === 0 ? undefined : blockers(repo, move, tried.stderr);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Names what made git refuse: the user's changes on paths that the move changes, else git's own words. */
async function blockers(repo: Repo, move: Move, stderr: string): Promise<Refusal> {
  // Not `status`: after a crash the branch may be ahead of the files, and it would call the landing itself a change.
  const looks = [
    ['diff-files', '--name-only', '-z'],
    ['diff-index', '--cached', '--name-only', '--no-renames', '-z', move.from],
    ['ls-files', '--others', '--exclude-standard', '-z'],
  ];
  const lists = await Promise.all(looks.map((args) => git(repo, args, { cwd: move.path, encoding: 'latin1' })));
  const dirty = new Set(lists.flatMap((list) => list.split('\0')).filter(Boolean));
  const changed = move.changes.map((one) => one.path);
  const touches = (a: string, b: string) => a === b || a.startsWith(`${b}/`) || b.startsWith(`${a}/`);
  const hit = [...dirty].filter((path) => changed.some((one) => touches(one, path))).sort();
  if (hit.length > 0) return refusal(`waits for your changes to ${listed(hit)}`, hit);
  return refusal(`git refused: ${stderr.split('\n')[0]?.replace(/^error: /, '') ?? ''}`);
}

/** Moves files and index. git refuses as a whole when it would hit changed, staged or untracked paths. */
export async function follow(repo: Repo, move: Move): Promise<Refusal | undefined> {
  const ignored = await inTheWay(repo, move);
  if (ignored.length > 0) return refusal(`not in git but in the way: ${listed(ignored)}`, ignored);
  // A file that was only touched must not pass for changed.
  const refreshed = await indexGit(repo, move, ['update-index', '-q', '--refresh']);
  if (refreshed.code !== 0 && refreshed.code !== 1) return refusal(`git is busy in ${move.path}`);
  const args = ['-c', 'submodule.recurse=false', 'read-tree', '-m', '-u', move.from, move.to];
  const done = await indexGit(repo, move, args);
  return done.code === 0 ? undefined : blockers(repo, move, done.stderr);
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
async function inTheWay(repo: Repo, move: Move): Promise<string[]> {
  const added = move.changes.filter((one) => one.status !== 'D' && one.status !== 'M').map((one) => one.path);
  const there = new Set((await Promise.all(added.map((path) => occupied(move.path, path)))).flat());
  if (there.size === 0) return [];
  const tracked = new Set((await git(repo, ['ls-files', '-z'], { cwd: move.path, encoding: 'latin1' })).split('\0'));
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

/** Changed paths that a configured filter (git-lfs, say) rewrites on checkout; ours would leave what the filter reads. */
async function filteredPaths(repo: Repo, move: Move): Promise<string[]> {
  const configured = await tryGit(repo, ['config', '--name-only', '--get-regexp', '^filter\\..*\\.(smudge|process)$'], { cwd: move.path });
  if (configured.code !== 0) return [];
  const filters = new Set(configured.stdout.split('\n').map((key) => key.replace(/^filter\./, '').replace(/\.[^.]*$/, '')));
  const paths = move.changes.filter((one) => one.status !== 'D').map((one) => `${one.path}\0`);
  const input = Buffer.from(paths.join(''), 'latin1');
  const fields = (await git(repo, ['check-attr', '-z', '--stdin', 'filter'], { cwd: move.path, input, encoding: 'latin1' })).split('\0');
  return fields.filter((_, at) => at % 3 === 0 && filters.has(fields[at + 2] ?? ''));
}
