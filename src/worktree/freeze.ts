import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, lstat, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError, isErrno } from '../platform/error.ts';
import { bytePath } from '../platform/files.ts';
import { inWorktree, type Linked } from '../platform/git/admin.ts';
import { ownFolder } from '../platform/git/mutex.ts';
import { GitError, type GitOptions, git, type Repo, tryGit } from '../platform/git/run.ts';
import { isSpecial } from '../platform/git/status.ts';

/** A worktree's files as a tree object, made without touching the worktree. */
export interface Frozen {
  readonly head: string | undefined;
  readonly headTree: string | undefined;
  readonly tree: string;
  /** The tree of what is staged; `undefined` while entries are unmerged. */
  readonly staged: string | undefined;
  /** The private index that has `tree`; it may be moved away, else it goes when `use` ends. */
  readonly index: string;
  /** Repositories of their own inside it, which are not part of the tree. */
  readonly nested: readonly string[];
}

/** Builds the tree through a copy of the worktree's index, so that only changed files are read. */
export async function freeze<T>(repo: Repo, linked: Linked, use: (frozen: Frozen) => Promise<T>): Promise<T> {
  const index = join(await ownFolder(repo), `index-${process.pid}-${randomBytes(6).toString('hex')}`);
  try {
    await copyIndex(join(linked.admin, 'index'), index);
    return await use(await build(repo, linked, index));
  } finally {
    await Promise.all([rm(index, { force: true }), rm(`${index}.lock`, { force: true })]);
  }
}

/**
 * The copy gets the original's time, rounded down: git takes a file for possibly changed when it is not older than the
 * index, and an index dated later would hide an edit of equal size made in the same second.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const found = await lstat(from).catch(() => undefined);
  if (!found) return;
  if (!found.isFile()) throw new FurrowError('PLANTED_LINK', `${from} is not a file`, { hint: `ls -l ${from}` });
  await copyFile(from, to, constants.COPYFILE_FICLONE);
  const seconds = Math.floor(found.mtimeMs / 1000);
  await utimes(to, seconds, seconds);
}

async function build(repo: Repo, linked: Linked, index: string): Promise<Frozen> {
  const place = inWorktree(repo, linked);
  const options: GitOptions = {
    ...place,
    env: { ...place.env, GIT_INDEX_FILE: index },
    // Paths are bytes. A split index would write its shared half into the worktree's own folder.
    encoding: 'latin1',
    config: ['core.splitIndex=false'],
  };
  const [heads, staged, { present, gone, nested }] = await Promise.all([
    tryGit(repo, ['rev-parse', '--quiet', 'HEAD^{commit}', 'HEAD^{tree}'], options),
    tryGit(repo, ['write-tree'], options),
    differing(repo, linked, options),
  ]);
  const [head, headTree] = heads.code === 0 ? heads.stdout.split('\n') : [];
  const stagedTree = staged.code === 0 ? staged.stdout.trim() : undefined;
  if (gone.length > 0) await update(repo, ['--force-remove'], gone, options);
  if (present.length > 0) await update(repo, ['--add', '--replace'], present, options);
  const tree = present.length + gone.length === 0 && stagedTree ? stagedTree : await git(repo, ['write-tree'], options);
  return { head, headTree, tree, staged: stagedTree, index, nested };
}

/**
 * Paths (as latin1) whose files differ from the index. Not `add -A`: that starts a git inside each submodule (see
 * `changes`). A nested repository is listed with a slash at its end and stays where it is.
 */
async function differing(
  repo: Repo,
  linked: Linked,
  options: GitOptions,
): Promise<{ present: string[]; gone: string[]; nested: string[] }> {
  const [differ, others] = await Promise.all([
    git(repo, ['diff-files', '-z', '--name-status', '--no-renames', '--ignore-submodules=dirty'], options),
    git(repo, ['ls-files', '-z', '--others', '--exclude-standard'], options),
  ]);
  const fields = differ.split('\0');
  const present = new Set<string>();
  const gone = new Set<string>();
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const [status, path = ''] = [fields[i], fields[i + 1]];
    const there = status === 'U' ? await exists(linked, path) : status !== 'D';
    (there ? present : gone).add(path);
  }
  // A pipe in a file's place: git cannot hold it, and fails on it. The file stays in the tree as it was.
  for (const path of present) if (isSpecial(linked.path ?? '', path)) present.delete(path);
  const untracked = others.split('\0').filter(Boolean);
  for (const path of untracked) if (!path.endsWith('/')) present.add(path);
  // An unmerged path is listed twice, the second time against one of its sides.
  for (const path of present) gone.delete(path);
  return { present: [...present], gone: [...gone], nested: untracked.filter((path) => path.endsWith('/')) };
}

async function exists(linked: Linked, path: string): Promise<boolean> {
  return lstat(bytePath(linked.path ?? '', path)).then(
    () => true,
    (error: unknown) => {
      if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return false;
      throw error;
    },
  );
}

async function update(repo: Repo, how: readonly string[], paths: readonly string[], options: GitOptions): Promise<void> {
  const args = ['update-index', ...how, '-z', '--stdin'];
  const done = await tryGit(repo, args, { ...options, input: Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1') });
  if (done.code !== 0) throw new GitError(args, done);
}
