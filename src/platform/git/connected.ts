import type { Finished } from '../exec.ts';
import { inWorktree, type Linked } from './admin.ts';
import { isAboutObjects } from './broken-refs.ts';
import { GitError, type GitOptions, type Repo, tryGit } from './run.ts';

/** The walk that git itself makes after a fetch. Objects that the packs of a partial clone promise may be missing. */
const WALK = ['rev-list', '--objects', '--quiet', '--exclude-promisor-objects'];

/** True when git has every object behind these ids, except for those behind `known` commits, which count as whole. */
export async function areConnected(repo: Repo, oids: readonly string[], known: readonly string[]): Promise<boolean> {
  if (oids.length === 0) return true;
  const input = [...oids, ...known.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join('');
  return walks(repo, [...WALK, '--stdin'], { input });
}

/** The warning about a reflog that names a commit which is gone: git skips it, and warns once for each log. */
const PRUNED = /^warning: reflog of '(.+)' references pruned commits$/gm;

/**
 * Answers the same about everything that the reflogs of all refs and worktrees name, and lists the logs that name commits which are gone.
 */
export async function lookAtLogs(repo: Repo, known: readonly string[]): Promise<{ connected: boolean; pruned: ReadonlySet<string> }> {
  const args = [...WALK, '--reflog', '--not', ...known];
  const done = await tryGit(repo, args);
  return { connected: isWalked(args, done), pruned: new Set(Array.from(done.stderr.matchAll(PRUNED), ([, ref = '']) => ref)) };
}

/** Answers the same about everything that the indexes of all worktrees name, or the index of one. */
export async function isIndexConnected(repo: Repo, known: readonly string[], linked?: Linked): Promise<boolean> {
  const args = [...WALK, ...(linked ? ['--single-worktree'] : []), '--indexed-objects', '--not', ...known];
  return walks(repo, args, linked ? inWorktree(repo, linked) : {});
}

async function walks(repo: Repo, args: readonly string[], options: GitOptions): Promise<boolean> {
  return isWalked(args, await tryGit(repo, args, options));
}

function isWalked(args: readonly string[], done: Finished): boolean {
  if (done.code === 0) return true;
  const error = new GitError(args, done);
  if (isAboutObjects(error)) return false;
  throw error;
}
