import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { copyFile, lstat, rm, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError } from '../../platform/error.ts';
import { inWorktree, type Linked } from '../../platform/git/admin.ts';
import { ownFolder } from '../../platform/git/mutex.ts';
import { GitError, type GitOptions, git, type Repo, tryGit } from '../../platform/git/run.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';
import { differences } from './differences.ts';

/** A worktree's files as a tree object, made without touching the worktree. */
export interface Frozen {
  readonly head: string | undefined;
  readonly headTree: string | undefined;
  readonly tree: string;
  /** The tree of what is staged; `undefined` while entries are unmerged. */
  readonly staged: string | undefined;
  /** The private index of `tree`. `use` may move it away; otherwise it is removed when `use` ends. */
  readonly index: string;
  /** Nested repositories, which are not part of the tree. */
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
 * Copies an index with the original's time, rounded down: git looks into a file that is not older than the index, and an index dated later
 * would hide an edit of equal size made in the same second.
 */
async function copyIndex(from: string, to: string): Promise<void> {
  const found = await lstat(from).catch(() => undefined);
  if (!found) return;
  if (!found.isFile()) throw new FurrowError('PLANTED_LINK', `${from} is not a file`, { hint: `ls -l ${quotedIfNeeded(from)}` });
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
  const heads = await tryGit(repo, ['rev-parse', '--quiet', 'HEAD^{commit}', 'HEAD^{tree}'], options);
  const [head, headTree] = heads.code === 0 ? heads.stdout.split('\n') : [];
  const { present, gone, nested, ...found } = await differences(repo, linked, options, head !== undefined);
  const staged = found.staged || headTree === undefined ? await stagedTree(repo, options) : headTree;
  if (gone.length > 0) await update(repo, ['--force-remove'], gone, options);
  if (present.length > 0) await update(repo, ['--add', '--replace'], present, options);
  const tree = present.length + gone.length === 0 && staged ? staged : await git(repo, ['write-tree'], options);
  return { head, headTree, tree, staged, index, nested };
}

async function stagedTree(repo: Repo, options: GitOptions): Promise<string | undefined> {
  const { code, stdout } = await tryGit(repo, ['write-tree'], options);
  return code === 0 ? stdout.trim() : undefined;
}

async function update(repo: Repo, how: readonly string[], paths: readonly string[], options: GitOptions): Promise<void> {
  const args = ['update-index', ...how, '-z', '--stdin'];
  const done = await tryGit(repo, args, { ...options, input: Buffer.from(paths.map((path) => `${path}\0`).join(''), 'latin1') });
  if (done.code !== 0) throw new GitError(args, done);
}
