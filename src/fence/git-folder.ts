import { lstat, mkdir, rmdir, unlink, writeFile } from 'node:fs/promises';
import { dirname, isAbsolute, join, resolve } from 'node:path';
import { FurrowError, isErrno } from '../platform/error.ts';
import { readIfThere } from '../platform/files.ts';
import type { Linked } from '../platform/git/admin.ts';
import type { Repo } from '../platform/git/run.ts';
import { userConfig } from '../platform/git/user.ts';
import type { Mount } from './arguments.ts';
import { isIn, real, shown } from './shown.ts';

/** The branch of an agent, and the folder in which its reflog is kept inside. */
export interface Branch {
  readonly name: string;
  readonly reflog: string;
}

const KEEP = '.keep';

/** Files in the registration of a worktree by which git finds the rest: who could change one would lead our git elsewhere. */
export const FIXED = ['commondir', 'gitdir', 'config.worktree'];

/**
 * The git folder as a linked worktree sees it: to be read, but for what a commit writes. Makes what has to be there before. The
 * loose objects of all are in one folder, which an agent must be able to write. `sealed`: nothing of it can be written.
 */
export async function gitMounts(repo: Repo, linked: Linked, branch: Branch | undefined, sealed = false): Promise<Mount[]> {
  const { gitDir } = repo;
  if (await lstat(join(gitDir, 'reftable')).catch(() => undefined))
    throw new FurrowError('NO_FENCE', 'isolation: guard needs branches as files, and this repository keeps them as a reftable', {
      hint: 'set `isolation: none` in furrow.yaml, or git refs migrate --ref-format=files',
    });
  const worktree = linked.path ?? '';
  return [
    { from: gitDir },
    ...(await borrowed(gitDir)),
    ...(branch ? await commitMounts(repo, branch) : []),
    { from: linked.admin, ...(!sealed && { write: true }) },
    ...(await fixedParts(linked)),
    { from: worktree, write: true },
    { from: await plain(join(worktree, '.git')) },
  ];
}

async function commitMounts(repo: Repo, { name, reflog }: Branch): Promise<Mount[]> {
  const { gitDir } = repo;
  const refs = join(gitDir, 'refs', 'heads', dirname(name));
  const logs = join(gitDir, 'logs', 'refs', 'heads', dirname(name));
  const objects = real(join(gitDir, 'objects')) ?? join(gitDir, 'objects');
  const fixed = [join(objects, 'info'), join(objects, 'pack')];
  for (const folder of [refs, logs, reflog, ...fixed]) await mkdir(folder, { recursive: true });
  // `git pack-refs` removes a folder of branches that it has emptied, and the one inside would lead nowhere.
  await writeFile(join(refs, KEEP), '', { flag: 'wx' }).catch(unless('EEXIST'));
  const { lfs } = await userConfig(repo);
  if (lfs) await mkdir(lfs.storage, { recursive: true });
  return [
    { from: objects, write: true },
    // A commit writes loose objects; what is packed, the history, is nobody's to delete.
    ...fixed.map((from) => ({ from })),
    { from: refs, write: true },
    // Its own: what an agent writes there, a link say, is nothing that our git follows.
    { from: reflog, to: logs, write: true },
    ...(lfs ? [{ from: lfs.storage, write: true } as const] : []),
  ];
}

/** Takes away what `gitMounts` put among the branches of an agent, once it has ended. */
export async function leaveGit(repo: Repo, branch: string): Promise<void> {
  const refs = join(repo.gitDir, 'refs', 'heads', dirname(branch));
  await unlink(join(refs, KEEP)).catch(() => {});
  await rmdir(refs).catch(() => {});
}

async function fixedParts(linked: Linked): Promise<Mount[]> {
  const own = join(linked.admin, 'config.worktree');
  await writeFile(own, '', { flag: 'wx' }).catch(unless('EEXIST'));
  return Promise.all(FIXED.map(async (name) => ({ from: await plain(join(linked.admin, name)) })));
}

/** A file that an agent has replaced by a link would be looked for where that leads. */
export async function plain(file: string): Promise<string> {
  if ((await lstat(file).catch(() => undefined))?.isFile()) return file;
  throw new FurrowError('NO_FENCE', `${file} is not a plain file`, { hint: 'furrow doctor' });
}

/** The same of a folder. */
export async function plainFolder(folder: string): Promise<string> {
  if ((await lstat(folder).catch(() => undefined))?.isDirectory()) return folder;
  throw new FurrowError('NO_FENCE', `${folder} is not a plain folder`, { hint: 'furrow doctor' });
}

/** The repositories that this one takes objects from. */
export async function borrowed(gitDir: string): Promise<Mount[]> {
  const objects = join(gitDir, 'objects');
  const lines = ((await readIfThere(join(objects, 'info', 'alternates'))) ?? '').split('\n');
  const named = lines.filter((line) => line !== '' && !line.startsWith('#'));
  return shown(named.map((line) => (isAbsolute(line) ? line : resolve(objects, line))));
}

/** Files outside the repository that the user's git settings name: a list of ignored files, a folder of hooks. */
export async function settingsFiles(repo: Repo, hidden: readonly string[]): Promise<Mount[]> {
  const { flags, hooksPath } = await userConfig(repo);
  const ignore = flags.find((flag) => flag.startsWith('core.excludesFile='))?.slice('core.excludesFile='.length);
  const mounts = shown([ignore, hooksPath].filter((path) => path?.startsWith('/')) as string[]);
  return mounts.filter(({ from, to = from }) => isIn(to, hidden));
}

const unless = (code: string) => (error: unknown) => {
  if (!isErrno(error, code)) throw error;
};
