import { copyFile, lstat, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { FurrowError, isErrno } from '../error.ts';
import { faultPoint } from '../fault.ts';
import { quotedIfNeeded } from '../shell.ts';
import { type Linked, linkedAt } from './admin.ts';
import { canonical } from './registrations.ts';
import type { Repo } from './run.ts';
import { withScratch } from './scratch.ts';
import { userConfig } from './user.ts';

interface Registration {
  /** The content of its HEAD: `ref: refs/heads/…`, or a commit. */
  readonly head: string;
  /** The lock reason that it starts with. */
  readonly locked?: string;
  /** Makes it as sparse as the main checkout, as `git worktree add` does. */
  readonly sparse?: boolean;
}

/**
 * Registers an empty worktree, without a process: writes the files of `git worktree add --no-checkout` and puts them in place by one
 * rename. When git's own command is killed half-way, its registration makes every `worktree list`, `gc` and `branch -d` of the repository
 * fail. The caller must hold the mutex.
 */
export async function register(repo: Repo, path: string, { head, locked, sparse = false }: Registration): Promise<Linked> {
  const files = await emptyFolder(path);
  await withScratch(repo, async (folder) => {
    const half = join(folder, 'worktree');
    await mkdir(half);
    const texts = { gitdir: join(files, '.git'), commondir: '../..', HEAD: head, ...(locked !== undefined && { locked }) };
    for (const [name, text] of Object.entries(texts)) await writeFile(join(half, name), `${text}\n`);
    if (sparse) await copySparse(repo, half);
    const admin = await placed(half, join(repo.gitDir, 'worktrees'), basename(files));
    await faultPoint('worktree.registered');
    await writeFile(join(files, '.git'), `gitdir: ${admin}\n`, { flag: 'wx' });
  });
  const linked = await linkedAt(repo, files);
  if (!linked?.whole) throw new FurrowError('WORKTREE_LOST', `${path} was added and is not registered`, { hint: 'furrow doctor' });
  return linked;
}

async function emptyFolder(path: string): Promise<string> {
  await mkdir(path, { recursive: true });
  if ((await readdir(path)).length > 0)
    throw new FurrowError('WORKTREE_TAKEN', `${path} is not empty`, { hint: `ls -la ${quotedIfNeeded(path)}` });
  return canonical(path);
}

/** Puts a number behind a name that is taken, as git does. Even an empty folder is taken: another git is just adding it. */
async function placed(half: string, folder: string, name: string): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (let n = 0; ; n++) {
    const admin = join(folder, n === 0 ? name : `${name}${n}`);
    if (await lstat(admin).catch(() => undefined)) continue;
    try {
      await rename(half, admin);
      return admin;
    } catch (error) {
      if (!isErrno(error, 'ENOTEMPTY') && !isErrno(error, 'EEXIST')) throw error;
    }
  }
}

/**
 * Copies the settings of a sparse checkout, which the agent's own git reads too. Without configuration per worktree the shared file has
 * them already.
 */
async function copySparse(repo: Repo, admin: string): Promise<void> {
  const { repositoryFlags } = await userConfig(repo);
  const flags = repositoryFlags.filter((flag) => flag.startsWith('core.sparsecheckout')).map((flag) => flag.slice('core.'.length));
  if (flags.length === 0) return;
  await mkdir(join(admin, 'info'));
  const patterns = join('info', 'sparse-checkout');
  await copyFile(join(repo.gitDir, patterns), join(admin, patterns)).catch((error: unknown) => {
    if (!isErrno(error, 'ENOENT')) throw error;
  });
  await writeFile(join(admin, 'config.worktree'), `[core]\n${flags.map((flag) => `\t${flag.replace('=', ' = ')}\n`).join('')}`);
}
