import { join } from 'node:path';
import { readIfThere } from '../files.ts';
import { linkedWorktrees, plantedIn } from './admin.ts';
import { ownRefs } from './broken-refs.ts';
import { lookAtLogs } from './connected.ts';
import { isBelow } from './holders.ts';
import { lockingGit } from './own-locks.ts';
import { plantedLog } from './own-ref.ts';
import { ownRoots } from './repair.ts';
import { GitError, type Repo } from './run.ts';

/** A reflog by the name of its ref, and its file. */
interface Log {
  readonly ref: string;
  readonly file: string;
}

/**
 * Removes from reflogs of ours what git no longer has: a commit that is there while something behind it is not, an amended one say, makes every later
 * `gc` fail; one that is gone altogether makes `fsck` fail. Answers the names of those that changed. One git when nothing is wrong. The person's
 * reflogs are theirs.
 */
export async function mendReflogs(repo: Repo, known: readonly string[]): Promise<string[]> {
  const { connected, pruned } = await lookAtLogs(repo, known);
  if (connected && pruned.size === 0) return [];
  const own = [...(await logsOfRefs(repo)), ...(await logsOfHeads(repo))];
  const logs = connected ? own.filter(({ ref }) => pruned.has(ref)) : own;
  const before = await Promise.all(logs.map(({ file }) => linesIn(file)));
  const there = logs.filter((_, at) => before[at] !== undefined);
  if (there.length === 0) return [];
  const args = ['reflog', 'expire', '--stale-fix', '--expire=never', '--expire-unreachable=never', ...there.map(({ ref }) => ref)];
  // Git locks the ref, and the log beside it.
  const locks = there.flatMap(({ ref, file }) => [`${file}.lock`, join(repo.gitDir, `${ref}.lock`)]);
  const done = await lockingGit(repo, locks, args);
  if (done.code !== 0) throw new GitError(args, done);
  const after = await Promise.all(logs.map(({ file }) => linesIn(file)));
  return logs.flatMap(({ ref }, at) => (after[at] === before[at] ? [] : [ref]));
}

async function logsOfRefs(repo: Repo): Promise<Log[]> {
  const refs = (await ownRefs(repo)).filter(({ ref }) => !plantedLog(repo.gitDir, ref));
  return refs.map(({ ref }) => ({ ref, file: join(repo.gitDir, 'logs', ref) }));
}

async function logsOfHeads(repo: Repo): Promise<Log[]> {
  const roots = ownRoots(repo);
  const logs: Log[] = [];
  for (const { name, path, admin, whole } of await linkedWorktrees(repo))
    if (path && whole && roots.some((root) => isBelow(path, root)) && !plantedIn(join(admin, 'logs')))
      logs.push({ ref: `worktrees/${name}/HEAD`, file: join(admin, 'logs', 'HEAD') });
  return logs;
}

/** Not its size: git writes lines without a message a little longer again. */
const linesIn = async (file: string) => (await readIfThere(file))?.split('\n').length;
