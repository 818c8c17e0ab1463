import { lstat, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../../platform/error.ts';
import type { Linked } from '../../platform/git/admin.ts';
import { borrowedStores } from '../../platform/git/alternates.ts';
import type { Repo } from '../../platform/git/run.ts';
import { userConfig } from '../../platform/git/user.ts';
import { userFolder } from '../../platform/user-folder.ts';
import type { Mount } from './bwrap.ts';
import { KEYS } from './home-paths.ts';
import { isIn, real, shown } from './visible-paths.ts';

/** Files in a worktree's registration by which git finds the rest: a changed one would lead our git elsewhere. */
export const FIXED = ['commondir', 'gitdir', 'config.worktree'];

/** The git folder for a command that does not commit: read-only, except for the submodules of its own worktree. */
export async function gitMounts(repo: Repo, linked: Linked, env: Env): Promise<Mount[]> {
  await assertFiles(repo);
  return [{ from: repo.gitDir }, ...borrowed(repo.gitDir, env), ...(await modulesOf(linked)), ...(await worktreeMounts(linked))];
}

/** Requires refs as files: an agent's own repository has them so, and must match the repository that it covers. */
export async function assertFiles({ gitDir }: Repo): Promise<void> {
  if (await lstat(join(gitDir, 'reftable')).catch(() => undefined))
    throw new FurrowError('NO_FENCE', 'isolation: guard needs branches as files, and this repository keeps them as a reftable', {
      hint: 'set `isolation: none` in furrow.yaml, or git refs migrate --ref-format=files',
    });
}

/** Mounts a worktree writable, except for the file that names its git folder. */
export async function worktreeMounts({ path = '' }: Linked): Promise<Mount[]> {
  return [{ from: path, write: true }, { from: await plain(join(path, '.git')) }];
}

/** The repositories of the submodules that are checked out in this worktree. No git of ours looks into them. */
export async function modulesOf(linked: Linked): Promise<Mount[]> {
  const folder = join(linked.admin, 'modules');
  if (await lstat(join(linked.path ?? '', '.gitmodules')).catch(() => undefined)) await mkdir(folder, { recursive: true, mode: 0o700 });
  if (!(await lstat(folder).catch(() => undefined))) return [];
  return [{ from: await plainFolder(folder), write: true }];
}

/** Refuses a file that an agent has replaced by a link: the mount would follow it. */
export async function plain(file: string): Promise<string> {
  if ((await lstat(file).catch(() => undefined))?.isFile()) return file;
  throw new FurrowError('NO_FENCE', `${file} is not a plain file`, { hint: 'furrow doctor' });
}

/** Refuses such a folder. */
export async function plainFolder(folder: string): Promise<string> {
  if ((await lstat(folder).catch(() => undefined))?.isDirectory()) return folder;
  throw new FurrowError('NO_FENCE', `${folder} is not a plain folder`, { hint: 'furrow doctor' });
}

/** A part of the git folder, if it really is inside it: a link there may lead to any folder of the person's. */
export function partOf(gitDir: string, name: string): string | undefined {
  const found = real(join(gitDir, name));
  return found !== undefined && isIn(found, [real(gitDir) ?? gitDir]) ? found : undefined;
}

/** The environment of a command inside; it names the home. */
type Env = Readonly<Record<string, string>>;

/**
 * False for the person's private folders, for what is in them, and for folders above them: nothing that a repository names may open these.
 */
export function mayOpen(path: string, env: Env): boolean {
  const home = env['HOME'];
  const closed = [userFolder(env), ...(home ? KEYS.map((name) => join(home, name)) : [])].map((one) => real(one) ?? one);
  return !isIn(path, closed) && !closed.some((one) => isIn(one, [path]));
}

/** The object stores that this repository borrows from. A person has agreed to each; a folder of another shape is refused. */
export function borrowed(gitDir: string, env: Env): Mount[] {
  const stores = borrowedStores(gitDir).filter((one) => one.real !== undefined);
  const wrong = stores.find((one) => !one.store || !mayOpen(one.real!, env));
  if (wrong) {
    const file = join(gitDir, 'objects', 'info', 'alternates');
    // The sentence names the file, because a question has no hint.
    throw new FurrowError('NO_FENCE', `the repository borrows objects from ${wrong.path}, which is no object store; see ${file}`, {
      hint: `edit ${file}`,
    });
  }
  return shown(stores.map(({ path }) => path));
}

/** Files outside the repository that the user's git settings name: a list of ignored files, a folder of hooks. */
export async function settingsFiles(repo: Repo, hidden: readonly string[], env: Env): Promise<Mount[]> {
  const { flags, hooksPath } = await userConfig(repo);
  const ignore = flags.find((flag) => flag.startsWith('core.excludesFile='))?.slice('core.excludesFile='.length);
  const mounts = shown([ignore, hooksPath].filter((path) => path?.startsWith('/')) as string[]);
  return mounts.filter(({ from, to = from }) => isIn(to, hidden) && mayOpen(from, env));
}
