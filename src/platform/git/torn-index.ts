import { createHash } from 'node:crypto';
import { constants, existsSync } from 'node:fs';
import { lstat, open, readlink } from 'node:fs/promises';
import { join } from 'node:path';
import { bytePath } from '../files.ts';
import { isBelow } from '../places.ts';
import { inWorktree, type Linked, linkedWorktrees, plantedIn } from './admin.ts';
import { isIndexConnected } from './connected.ts';
import { foldersOf } from './index-file.ts';
import { writeLoose } from './loose-object.ts';
import { lockingGit } from './own-locks.ts';
import { ownRoots } from './repair.ts';
import { git, type Repo, tryGit } from './run.ts';

export interface MendedIndex {
  /** The worktree. */
  readonly path: string;
  /** Staged files that were stored again from the worktree. */
  readonly restored: readonly string[];
  /** Staged files whose content is lost. In the index they are now as in the last commit; the files stay. */
  readonly unstaged: readonly string[];
}

interface MendedIndexes {
  readonly mended: readonly MendedIndex[];
  /** Worktrees that were left alone: another git is writing the index, or an agent has to put it in order. */
  readonly left: readonly string[];
}

/**
 * Repairs the indexes of our worktrees that name objects which a clean-up removed, and stores again what the files there still have. Git
 * walks all indexes, so one bad index makes every later `gc`, `prune` and `repack` of the person fail. One git when nothing is wrong. It
 * does not touch the person's own index.
 */
export async function mendIndexes(repo: Repo, known: readonly string[], isAtWork: (path: string) => boolean): Promise<MendedIndexes> {
  const [mended, left]: [MendedIndex[], string[]] = [[], []];
  if (await isIndexConnected(repo, known)) return { mended, left };
  const roots = ownRoots(repo);
  for (const linked of await linkedWorktrees(repo)) {
    const { path } = linked;
    if (!path || !linked.whole || !roots.some((root) => isBelow(path, root)) || !existsSync(path)) continue;
    if (await isIndexConnected(repo, known, linked)) continue;
    const found = plantedIn(linked.admin) ? undefined : await mend(repo, linked, path, isAtWork(path));
    if (found) mended.push(found);
    if (!found || !(await isIndexConnected(repo, known, linked))) left.push(path);
  }
  return { mended, left };
}

interface Staged {
  readonly mode: string;
  readonly oid: string;
  /** In latin1: one character a byte. */
  readonly path: string;
}

async function mend(repo: Repo, linked: Linked, root: string, atWork: boolean): Promise<MendedIndex | undefined> {
  const staged = stagedIn(await git(repo, ['ls-files', '-z', '--stage'], { ...inWorktree(repo, linked), encoding: 'latin1' }));
  const restored: Staged[] = [];
  const gone: Staged[] = [];
  for (const one of await missing(repo, staged)) ((await restore(repo, root, one)) ? restored : gone).push(one);
  // An agent at work there repairs it itself: its commit fails, and it adds the file again.
  if (gone.length > 0 && atWork) return undefined;
  const committed = gone.length > 0 && (await asCommitted(repo, linked, gone));
  if (committed === undefined || (committed && !(await write(repo, linked, ['--index-info'], committed)))) return undefined;
  if (!(await forgetTrees(repo, linked, staged))) return undefined;
  await makeTrees(repo, linked);
  const names = (some: readonly Staged[]) => [...new Set(some.map(({ path }) => Buffer.from(path, 'latin1').toString()))].sort();
  return { path: root, restored: names(restored), unstaged: names(gone) };
}

function stagedIn(listing: string): Staged[] {
  return listing.split('\0').flatMap((line) => {
    const [, mode, oid, path] = /^(\d+) ([0-9a-f]+) \d\t(.+)$/s.exec(line) ?? [];
    return mode && oid && path && mode !== '160000' ? [{ mode, oid, path }] : [];
  });
}

async function missing(repo: Repo, staged: readonly Staged[]): Promise<Staged[]> {
  if (staged.length === 0) return [];
  const input = staged.map(({ oid }) => `${oid}\n`).join('');
  const lines = (await git(repo, ['cat-file', '--batch-check=%(objectname)'], { input })).split('\n');
  return staged.filter((_, at) => lines[at]?.endsWith(' missing'));
}

/** Stores a blob again if the file in the worktree is still the same. */
async function restore(repo: Repo, root: string, { oid, path }: Staged): Promise<boolean> {
  const raw = await contentAt(bytePath(root, path)).catch(() => undefined);
  const hash = createHash(oid.length === 40 ? 'sha1' : 'sha256');
  if (!raw || hash.update(`blob ${raw.length}\0`).update(raw).digest('hex') !== oid) return false;
  await writeLoose(repo, { type: 'blob', id: oid, raw });
  return true;
}

async function contentAt(file: Buffer): Promise<Buffer | undefined> {
  if ((await lstat(file)).isSymbolicLink()) return readlink(file, { encoding: 'buffer' });
  await using opened = await open(file, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  return (await opened.stat()).isFile() ? opened.readFile() : undefined;
}

/** Lines for `update-index --index-info` that set these paths as in HEAD, or remove them. `undefined`: HEAD has to be repaired first. */
async function asCommitted(repo: Repo, linked: Linked, gone: readonly Staged[]): Promise<Buffer | undefined> {
  const args = ['ls-tree', '-r', '-z', '--full-tree', 'HEAD'];
  const listing = await tryGit(repo, args, { ...inWorktree(repo, linked), encoding: 'latin1' });
  if (listing.code !== 0) return undefined;
  const committed = new Map(listing.stdout.split('\0').map((line) => [line.slice(line.indexOf('\t') + 1), line]));
  const lines = gone.map(({ path, oid }) => committed.get(path) ?? `0 ${'0'.repeat(oid.length)}\t${path}`);
  return Buffer.from(lines.map((line) => `${line}\0`).join(''), 'latin1');
}

/** A name that no file has. */
const NOTHING = '.furrow-nothing-of-this-name';

/**
 * Makes an index forget its cached trees and the sides of resolved conflicts. "Removing" a path drops the cached trees that would hold it,
 * even when no such path exists. So git itself writes the index, in whatever format.
 */
async function forgetTrees(repo: Repo, linked: Linked, staged: readonly Staged[]): Promise<boolean> {
  const paths = foldersOf(staged).map((folder) => (folder === '' ? NOTHING : `${folder}/${NOTHING}`));
  const input = Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1');
  return write(repo, linked, ['--clear-resolve-undo', '--force-remove', '--stdin'], input);
}

/**
 * Writes the trees of the index again. Where the index equals the last commit, these are the trees of that commit, which is then whole.
 * With an open conflict, or a file whose content is lost, there is no tree to write.
 */
async function makeTrees(repo: Repo, linked: Linked): Promise<void> {
  await lockingGit(repo, [join(linked.admin, 'index.lock')], ['write-tree'], inWorktree(repo, linked));
}

/** False: another git has the index. */
async function write(repo: Repo, linked: Linked, args: readonly string[], input: Buffer): Promise<boolean> {
  const options = { ...inWorktree(repo, linked), input };
  return (await lockingGit(repo, [join(linked.admin, 'index.lock')], ['update-index', '-z', ...args], options)).code === 0;
}
