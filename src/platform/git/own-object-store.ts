import { rmSync } from 'node:fs';
import { lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isErrno } from '../error.ts';
import { readIfThere } from '../files.ts';
import { identify, isAlive, type ProcessId } from '../process/identity.ts';
import { ownFolder } from './mutex.ts';
import type { GitOptions, Repo } from './run.ts';

/** A git directory of our own beside the repository's: its objects, and nothing else of it. */
export interface Aside {
  readonly dir: string;
  /** The folder that git takes for the worktree; empty at first. */
  readonly files: string;
  /** The options for running git in it. */
  readonly git: GitOptions & { readonly env: Readonly<Record<string, string>>; readonly config: readonly string[] };
}

/** After this a folder without an owner's name is removed: its maker was killed. A younger one may still be in the making. */
const UNOWNED_MS = 3_600_000;

/** One for each repository and hash, shared by all who write nothing into it. */
const shared = new Map<string, Promise<Aside>>();
const made = new Set<string>();

/**
 * Git here sees the repository's objects but not its configuration, `info/attributes`, refs or checkout. A merge in the repository itself
 * would take `.gitattributes` from the user's checkout and run `merge.<name>.driver` of `.git/config` as a command; here the same commits
 * give the same tree on every machine, and no command runs. Objects must be named by id. `like` is any id: its length tells the hash. It is
 * kept until the process ends, because making one takes as long as a small merge; nobody may put files into it.
 */
export async function sharedAside(repo: Repo, like: string): Promise<Aside> {
  const key = `${repo.gitDir}:${like.length}`;
  const known = shared.get(key);
  const aside = await known?.catch(() => undefined);
  // Somebody may have tidied up in `.git`.
  if (aside && (await lstat(aside.files).catch(() => undefined))) return aside;
  const fresh = shared.get(key);
  const next = fresh === undefined || fresh === known ? makeShared(repo, like) : fresh;
  shared.set(key, next);
  return next;
}

async function makeShared(repo: Repo, like: string): Promise<Aside> {
  const home = await homeOf(repo);
  await dropLeftOver(home);
  const aside = await make(repo, home, like);
  if (made.size === 0) process.once('exit', () => [...made].map((dir) => rmSync(dir, { recursive: true, force: true })));
  made.add(aside.dir);
  return aside;
}

/** Makes one that files may be put into, and removes it after use. */
export async function withAside<T>(repo: Repo, like: string, use: (aside: Aside) => Promise<T>): Promise<T> {
  const aside = await make(repo, await homeOf(repo), like);
  try {
    return await use(aside);
  } finally {
    await rm(aside.dir, { recursive: true, force: true });
  }
}

async function homeOf(repo: Repo): Promise<string> {
  const home = join(await ownFolder(repo), 'aside');
  await mkdir(home, { recursive: true, mode: 0o700 });
  return home;
}

async function make(repo: Repo, home: string, like: string): Promise<Aside> {
  const dir = await mkdtemp(join(home, `${process.pid}-`));
  const files = join(dir, 'files');
  const format = like.length === 64 ? 'sha256' : 'sha1';
  const config = `[core]\n\trepositoryformatversion = 1\n\tbare = false\n[extensions]\n\tobjectFormat = ${format}\n`;
  await Promise.all([
    writeFile(join(dir, 'owner'), JSON.stringify(identify(process.pid) ?? null)),
    mkdir(files),
    mkdir(join(dir, 'refs')),
    mkdir(join(dir, 'rr-cache')),
    writeFile(join(dir, 'HEAD'), 'ref: refs/heads/none\n'),
    writeFile(join(dir, 'config'), config),
  ]);
  const env = {
    GIT_DIR: dir,
    GIT_COMMON_DIR: dir,
    GIT_WORK_TREE: files,
    GIT_OBJECT_DIRECTORY: join(repo.gitDir, 'objects'),
    // Not copied: the next fetch may change it.
    GIT_SHALLOW_FILE: join(repo.gitDir, 'shallow'),
  };
  // Blobs go in and out as they are; the wrapper passes the user's own line endings, which would convert them.
  return { dir, files, git: { cwd: files, env, config: ['core.autocrlf=false', 'core.eol=lf'] } };
}

/** Removes the files that killed processes left. */
async function dropLeftOver(home: string): Promise<void> {
  for (const name of await readdir(home)) {
    const dir = join(home, name);
    if (await isLeftOver(dir)) await rm(dir, { recursive: true }).catch(ignoreMissing);
  }
}

async function isLeftOver(dir: string): Promise<boolean> {
  const found = await lstat(dir).catch(() => undefined);
  if (!found) return false;
  const owner = await ownerOf(dir).catch(() => undefined);
  return owner ? !isAlive(owner) : Date.now() - found.ctimeMs > UNOWNED_MS;
}

async function ownerOf(dir: string): Promise<ProcessId | undefined> {
  const text = await readIfThere(join(dir, 'owner'));
  return text ? ((JSON.parse(text) as ProcessId | null) ?? undefined) : undefined;
}

function ignoreMissing(error: unknown): void {
  if (!isErrno(error, 'ENOENT')) throw error;
}
