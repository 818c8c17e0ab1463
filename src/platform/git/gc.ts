import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { readSmall } from '../files.ts';
import { isTaken } from '../process/identity.ts';
import { type Repo, tryGit } from './run.ts';

/** Git's own bound: after this the file was left by a gc that was killed. */
const OLDEST_MS = 12 * 3600_000;
/** The longest that a ref waits for a gc. A gc decides in its first seconds, but may take minutes in a large repository. */
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
 * True when the object of a new ref is still there. `git gc --prune=now` removes what no ref held when it looked, however new; so this
 * waits for a gc that looked before the ref was there. `collecting`: a gc was already at work. Without a gc this is one `stat`.
 */
export async function isKept(repo: Repo, oid: string, collecting: boolean): Promise<boolean> {
  if (!collecting && !isCollecting(repo.gitDir)) return true;
  for (const until = performance.now() + WAIT_MS; isCollecting(repo.gitDir) && performance.now() < until; ) await sleep(25);
  return (await tryGit(repo, ['cat-file', '-e', oid])).code === 0;
}
