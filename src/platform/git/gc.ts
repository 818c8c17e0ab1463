import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSmall } from '../files.ts';
import { isTaken } from '../process/identity.ts';
import { type Repo, tryGit } from './run.ts';

/** A gc of git's own bound: an older file is that of one which was killed. */
const OLDEST_MS = 12 * 3600_000;
/** The time a ref waits for a gc at most. It decides in its first seconds; all of it can take minutes in a large repository. */
const WAIT_MS = 10_000;

/** True while a `git gc` is at work, by the file that it keeps meanwhile. */
export function isCollecting(gitDir: string): boolean {
  const file = join(gitDir, 'gc.pid');
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found || Date.now() - found.mtimeMs > OLDEST_MS) return false;
  const pid = Number(/^\d+/.exec(readSmall(file) ?? '')?.[0]);
  return pid > 0 && isTaken(pid);
}

/**
 * Says if an object is still there for a ref that was just given to it. `git gc --prune=now` removes what no ref held when it looked, however
 * new it is; one that looked before the ref was there is waited for. `collecting`: one was at work before. Without a gc this is one `stat`.
 */
export async function isKept(repo: Repo, oid: string, collecting: boolean): Promise<boolean> {
  if (!collecting && !isCollecting(repo.gitDir)) return true;
  for (const until = performance.now() + WAIT_MS; isCollecting(repo.gitDir) && performance.now() < until; ) await sleep(25);
  return (await tryGit(repo, ['cat-file', '-e', oid])).code === 0;
}
