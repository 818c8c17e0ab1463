import { lstat, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { git, type Repo, tryGit } from '../../platform/git/run.ts';

/** The history of a submodule's repository, which stays. Its index, hooks, configuration and notes are made again. */
const KEPT = new Set(['HEAD', 'objects', 'refs', 'packed-refs', 'shallow', 'config', 'modules']);

/** The deepest folder: a submodule's name may have slashes. */
const DEPTH = 16;

/**
 * Keeps only the history of the submodules that checks have cloned into a slot. The next check need not fetch it again, and finds nothing
 * that an earlier one changed. A repository that does not look as git makes it is removed as a whole.
 */
export async function resetModules(repo: Repo, folder: string, depth = DEPTH): Promise<void> {
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
