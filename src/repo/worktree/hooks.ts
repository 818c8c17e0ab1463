import { mkdir, realpath, writeFile } from 'node:fs/promises';
import { isAbsolute, join, normalize } from 'node:path';
import { isErrno } from '../../platform/error.ts';
import { type GitOptions, git, type Repo } from '../../platform/git/run.ts';
import { userConfig } from '../../platform/git/user.ts';
import { copyIgnored, staysInside } from './surroundings.ts';

/**
 * Gives a worktree the hooks that a person's commits pass in the checkout. `core.hooksPath` may name an untracked folder inside the
 * checkout: husky makes `.husky/_`, and without it git silently runs no hook, or a tracked hook fails because its `_/husky.sh` is missing.
 * Safe to repeat.
 */
export async function bringHooks(repo: Repo, worktree: string): Promise<void> {
  const folder = insideOf((await userConfig(repo)).hooksPath);
  if (folder === undefined) return;
  const tracked = await list(repo, [folder], { cwd: worktree });
  if (tracked.length > 0) {
    const made = await list(repo, ['--others', '--ignored', '--exclude-standard', '--directory', '--', folder], { cwd: repo.root });
    await copyIgnored(repo.root, worktree, made);
    return;
  }
  await copyIgnored(repo.root, worktree, [folder]);
  await ignoreAll(await realpath(worktree), folder);
}

/** A path below the root of a worktree. Not in `.git`: all worktrees share that folder, and there it is a file. */
function insideOf(hooksPath: string | undefined): string | undefined {
  if (hooksPath === undefined || isAbsolute(hooksPath) || hooksPath.startsWith('~')) return undefined;
  const path = normalize(hooksPath).replace(/\/$/, '');
  return path === '.' || /^(\.\.|\.git|\.furrow)(\/|$)/.test(path) ? undefined : path;
}

async function list(repo: Repo, args: readonly string[], options: GitOptions): Promise<string[]> {
  const paths = (await git(repo, ['--literal-pathspecs', 'ls-files', '-z', ...args], options)).split('\0');
  return paths.filter(Boolean).map((path) => path.replace(/\/$/, ''));
}

/** Ignores the folder: git-lfs writes its own hooks there at the first large file, and they would be committed with the agent's work. */
async function ignoreAll(root: string, folder: string): Promise<void> {
  const file = join(folder, '.gitignore');
  // A link that an agent planted would lead elsewhere.
  if (!(await staysInside(root, file))) return;
  await mkdir(join(root, folder), { recursive: true });
  await writeFile(join(root, file), '*\n', { flag: 'wx' }).catch((error: unknown) => {
    if (!isErrno(error, 'EEXIST')) throw error;
  });
}
