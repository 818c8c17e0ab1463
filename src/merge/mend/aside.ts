import { copyFile, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrno } from '../../platform/error.ts';
import { ownFolder } from '../../platform/git/mutex.ts';
import type { GitOptions, Repo } from '../../platform/git/run.ts';

/** A git directory of our own beside the repository's: its objects, and nothing else of it. */
export interface Aside {
  readonly dir: string;
  /** The folder that git takes for the worktree; empty at first. */
  readonly files: string;
  /** How git is run in it. */
  readonly git: GitOptions;
}

/** None is in use for longer than a few gits' time limit of two minutes each. */
const LEFT_OVER_MS = 3_600_000;

/**
 * Git here sees the repository's objects but not its configuration, `info/attributes`, refs or checkout. A merge in the
 * repository itself takes `.gitattributes` from whatever the user has checked out, and runs `merge.<name>.driver` of
 * `.git/config` as a command; here the same commits give the same tree on every machine, and nothing is run.
 * Objects must be named by id. `like` is any id, which tells the hash.
 */
export async function withAside<T>(repo: Repo, like: string, use: (aside: Aside) => Promise<T>): Promise<T> {
  const home = join(await ownFolder(repo), 'aside');
  await mkdir(home, { recursive: true, mode: 0o700 });
  await dropLeftOver(home);
  const dir = await mkdtemp(join(home, `${process.pid}-`));
  try {
    return await use(await furnish(repo, dir, like));
  } finally {
    await rm(dir, { recursive: true });
  }
}

async function furnish(repo: Repo, dir: string, like: string): Promise<Aside> {
  const files = join(dir, 'files');
  const format = like.length === 64 ? 'sha256' : 'sha1';
  const config = `[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = ${format}\n`;
  await Promise.all([
    mkdir(files),
    mkdir(join(dir, 'refs')),
    mkdir(join(dir, 'rr-cache')),
    writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n'),
    writeFile(join(dir, 'config'), config),
    copyFile(join(repo.gitDir, 'shallow'), join(dir, 'shallow')).catch(ignoreMissing),
  ]);
  const env = { GIT_DIR: dir, GIT_WORK_TREE: files, GIT_OBJECT_DIRECTORY: join(repo.gitDir, 'objects') };
  // Blobs go in and out as they are; the wrapper passes the user's own line endings, which would convert them.
  return { dir, files, git: { cwd: files, env, config: ['core.autocrlf=false', 'core.eol=lf'] } };
}

/** What a killed process left. */
async function dropLeftOver(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const found = await lstat(join(home, name)).catch(() => undefined);
    if (found && Date.now() - found.ctimeMs > LEFT_OVER_MS) await rm(join(home, name), { recursive: true }).catch(ignoreMissing);
  }
}

function ignoreMissing(error: unknown): void {
  if (!isErrno(error, 'ENOENT')) throw error;
}
