import type { Finished } from '../exec.ts';
import { inWorktree, type Linked } from './admin.ts';
import { isAboutObjects } from './broken-refs.ts';
import { GitError, type GitOptions, type Repo, tryGit } from './run.ts';

/** As git looks itself after a fetch. What the packs of a partial clone promise may be missing. */
const WALK = ['rev-list', '--objects', '--quiet', '--exclude-promisor-objects'];

/** True when git has every object behind these, as far as `known` commits do not have it too; those are taken to be whole. */
export async function areConnected(repo: Repo, oids: readonly string[], known: readonly string[]): Promise<boolean> {
  if (oids.length === 0) return true;
  const input = [...oids, ...known.map((oid) => `^${oid}`)].map((line) => `${line}\n`).join('');
  return walks(repo, [...WALK, '--stdin'], { input });
}

/** A reflog with a commit that is gone altogether: git walks past it, and warns once for each log. */
const PRUNED = /^warning: reflog of '(.+)' references pruned commits$/gm;

/** The same of all that the reflogs of all refs and worktrees name, and the logs that name commits which are gone altogether. */
export async function lookAtLogs(repo: Repo, known: readonly string[]): Promise<{ connected: boolean; pruned: ReadonlySet<string> }> {
  const args = [...WALK, '--reflog', '--not', ...known];
  const done = await tryGit(repo, args);
  return { connected: isWalked(args, done), pruned: new Set(Array.from(done.stderr.matchAll(PRUNED), ([, ref = '']) => ref)) };
}

/** The same of all that the indexes of all worktrees name, or that of one. */
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
