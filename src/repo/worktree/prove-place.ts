import { lstat } from 'node:fs/promises';
import { canonical, linkedAt } from '../../platform/git/admin.ts';
import { findGit } from '../../platform/git/find.ts';
import { resolve } from '../../platform/git/refs.ts';
import { operationInProgress } from '../../platform/git/repository.ts';
import type { Repo } from '../../platform/git/run.ts';
import { changes } from '../../platform/git/status.ts';
import { isOurs, notOurs } from './own.ts';

interface Proof {
  readonly branch: string;
  readonly base: string;
  /**
   * Git has just filled it or looked through it. The first status of a new one would hash every file again, which is half the cost of
   * making it.
   */
  readonly clean?: boolean;
}

/**
 * Proves that an agent may start here, by looking as the agent's git will: a git that finds no worktree in its folder walks up and works in
 * the user's checkout. Answers problems as sentences; none means proven.
 */
export async function prove(repo: Repo, path: string, want: Proof): Promise<string[]> {
  if (!(await lstat(path).catch(() => undefined))?.isDirectory()) return [`${path} is not a folder`];
  if (!(await isOurs(repo, path))) return [notOurs(repo, path)];
  const problems = await discovered(repo, path);
  const linked = await linkedAt(repo, path);
  if (!linked?.whole) return [...problems, `${path} is not a registered worktree`];
  if (linked.locked !== undefined) problems.push(`${path} is locked: ${linked.locked || 'no reason given'}`);
  if (linked.head !== `ref: refs/heads/${want.branch}`) problems.push(`HEAD is ${linked.head}, not ${want.branch}`);
  const tip = await resolve(repo, `refs/heads/${want.branch}`);
  if (tip !== want.base) problems.push(`${want.branch} is at ${tip ?? 'nothing'}, not at ${want.base}`);
  const operation = operationInProgress(linked.admin);
  if (operation) problems.push(`a ${operation} is under way`);
  if (want.clean) return problems;
  const left = await changes(repo, linked).catch(() => undefined);
  if (!left) problems.push('its status cannot be read');
  else if (left.length > 0) problems.push(`${left.length} uncommitted ${left.length === 1 ? 'path' : 'paths'}, ${left[0]?.slice(3)} first`);
  return problems;
}

/** Looks upwards from there as git does. */
async function discovered(repo: Repo, path: string): Promise<string[]> {
  const found = findGit(path);
  if (!found) return [`git does not find a worktree in ${path}`];
  if (found.folder !== (await canonical(path))) return [`git takes ${found.folder} for the worktree`];
  const [shared, own] = [await canonical(found.gitDir), await canonical(found.here)];
  return shared === repo.gitDir && own !== repo.gitDir ? [] : [`${path} belongs to another repository`];
}
