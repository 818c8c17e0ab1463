import type { Dirent } from 'node:fs';
import { lstat, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bytePath, readIfThere } from '../../platform/files.ts';
import { git, type Repo, tryGit } from '../../platform/git/run.ts';
import type { Inside, SlotIndex } from './slot-index.ts';

/**
 * The files that git needs in a worktree's git folder, beside the index, which it is given. A lock stays: then git refuses, and the slot is
 * replaced.
 */
const NEEDED = /^(HEAD|commondir|gitdir|(?!index\.).*\.lock|modules)$/;

/** Removes what a check left in a slot's git folder: configuration, refs, a half-done merge, a sparse checkout. */
export async function cleanGitFolder(repo: Repo, admin: string): Promise<void> {
  const left = (await readdir(admin)).filter((name) => !NEEDED.test(name));
  for (const name of left) await rm(join(admin, name), { recursive: true, force: true });
  const modules = join(admin, 'modules');
  if (await lstat(modules).catch(() => undefined)) await resetModules(repo, modules);
}

/** Removes every file that the commit does not have, except ignored ones that a pattern of `caches` names, and the paths of `keep`. */
export async function cleanFiles(repo: Repo, inside: Inside, caches: readonly string[], keep: readonly string[]): Promise<void> {
  const kept = keep.flatMap((path) => ['-e', `/${path.replaceAll(/[\\*?[!#]/g, '\\$&')}`]);
  // Twice -f: a check's own repositories among its leftovers must go too.
  await git(repo, ['clean', '-ffdxq', ...kept, ...caches.flatMap((cache) => ['-e', cache])], inside);
  if (caches.length > 0) {
    const ignored = await excludedHere(repo);
    await git(repo, ['clean', '-ffdq', ...kept, ...ignored.flatMap((line) => ['-e', line])], inside);
  }
}

/** The user's ignore patterns for this repository alone. Slots do not read them, but a cache may be ignored there. */
async function excludedHere(repo: Repo): Promise<string[]> {
  const text = (await readIfThere(join(repo.gitDir, 'info', 'exclude')).catch(() => undefined)) ?? '';
  return text.split('\n').filter((line) => line.trim() && !line.startsWith('#'));
}

/** True when a slot may hold something beside the commit and the paths of `keep`; else there is nothing to clean. */
export async function hasMore(root: string, { files, folders, submodules }: SlotIndex, keep: readonly string[]): Promise<boolean> {
  const [known, below] = [new Set(files.map(({ path }) => path)), new Set([...folders, ...submodules])];
  const kept = new Set(keep.map((path) => Buffer.from(path).toString('latin1')));
  for (const folder of folders) {
    const more = (await entriesOf(root, folder)).some(({ path, entry }) => {
      if (path === '.git' || kept.has(path)) return false;
      return entry.isDirectory() ? !below.has(path) : !known.has(path) || !(entry.isFile() || entry.isSymbolicLink());
    });
    if (more) return true;
  }
  return false;
}

async function entriesOf(root: string, folder: string): Promise<{ path: string; entry: Dirent }[]> {
  const entries = await readdir(bytePath(root, folder), { withFileTypes: true, encoding: 'latin1' });
  return entries.map((entry) => ({ path: folder === '' ? entry.name : `${folder}/${entry.name}`, entry }));
}

/** Removes what `git clean` leaves: named pipes, sockets, and anything called `.git`. */
export async function sweep(root: string, { folders }: SlotIndex): Promise<void> {
  const all = (await Promise.all(folders.map((folder) => entriesOf(root, folder)))).flat();
  const strange = all.filter(({ path, entry }) =>
    entry.name === '.git' ? path !== '.git' : !entry.isFile() && !entry.isDirectory() && !entry.isSymbolicLink(),
  );
  for (const { path } of strange) await rm(bytePath(root, path), { recursive: true, force: true });
}

/** Empties the folders of submodules, as in a clone; a check that needs one runs `git submodule update --init`. */
export async function emptySubmodules(root: string, { submodules }: SlotIndex): Promise<void> {
  for (const path of submodules) {
    await rm(bytePath(root, path), { recursive: true, force: true });
    await mkdir(bytePath(root, path), { recursive: true });
  }
}

/** The history of a submodule's repository, which stays. Its index, hooks, configuration and notes are made again. */
const KEPT = new Set(['HEAD', 'objects', 'refs', 'packed-refs', 'shallow', 'config', 'modules']);

/** The deepest folder: a submodule's name may have slashes. */
const DEPTH = 16;

/**
 * Keeps only the history of the submodules that checks have cloned into a slot. The next check need not fetch it again, and finds nothing
 * that an earlier one changed. A repository that does not look as git makes it is removed as a whole.
 */
async function resetModules(repo: Repo, folder: string, depth = DEPTH): Promise<void> {
  if (!(await isPlain(folder)) || depth === 0) return rm(folder, { recursive: true, force: true });
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    const isModule = (await lstat(join(path, 'HEAD')).catch(() => undefined)) !== undefined;
    if (!isModule) await resetModules(repo, path, depth - 1);
    else if (!(await reset(repo, path, depth))) await rm(path, { recursive: true, force: true });
  }
}

async function reset(repo: Repo, module: string, depth: number): Promise<boolean> {
  const config = join(module, 'config');
  const url = await tryGit(repo, ['config', '--file', config, '--get', 'remote.origin.url']);
  // A partial clone, or another hash: rare, and cloned again.
  const special = await tryGit(repo, ['config', '--file', config, '--get-regexp', '^extensions\\.']);
  if (url.code !== 0 || special.code === 0) return false;
  for (const name of await readdir(module)) {
    const path = join(module, name);
    const found = await lstat(path);
    if (!KEPT.has(name) || name === 'config') await rm(path, { recursive: true, force: true });
    else if (!found.isFile() && !found.isDirectory()) return false;
  }
  const set = (key: string, value: string) => git(repo, ['config', '--file', config, key, value]);
  await set('core.repositoryformatversion', '0');
  await set('core.bare', 'false');
  await set('remote.origin.url', url.stdout.replace(/\n$/, ''));
  await set('remote.origin.fetch', '+refs/heads/*:refs/remotes/origin/*');
  const inner = join(module, 'modules');
  if (await lstat(inner).catch(() => undefined)) await resetModules(repo, inner, depth - 1);
  return true;
}

const isPlain = async (folder: string) => (await lstat(folder)).isDirectory();
