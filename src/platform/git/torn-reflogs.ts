import { join } from 'node:path';
import { readIfThere } from '../files.ts';
import { isBelow } from '../places.ts';
import { linkedWorktrees, plantedIn } from './admin.ts';
import { ownRefs } from './broken-refs.ts';
import { lookAtLogs } from './connected.ts';
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
 * Removes entries from reflogs of ours whose objects are gone: a commit with something missing behind it (an amended one, say) makes every
 * later `gc` fail, and a commit that is gone makes `fsck` fail. Answers the names of the changed logs. One git when nothing is wrong. It
 * does not touch the person's reflogs.
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
  // Git locks the ref, and with it the log.
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

/** Counts lines, not bytes: git writes lines without a message a little longer again. */
const linesIn = async (file: string) => (await readIfThere(file))?.split('\n').length;
