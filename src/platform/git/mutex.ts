import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { withLock } from '../lock.ts';
import type { Repo } from './run.ts';

const WAIT_MS = 60_000;

/**
 * Our folder inside `.git`: the mutex, the note of a worktree being added, private index files. It is not in `.furrow`, because every
 * process finds `.git` from any worktree, `.git` exists before `.furrow`, and an index beside the repository's own can be put in place by a
 * rename.
 */
export async function ownFolder(repo: Repo): Promise<string> {
  const folder = join(repo.gitDir, 'furrow.run');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  return folder;
}

/**
 * One process at a time adds, moves or forgets worktrees, or fetches: 16 of 30 parallel `worktree add` failed on a
 * sibling's half-written folder, 0 of 30 behind a lock.
 */
export async function withRepo<T>(repo: Repo, change: () => Promise<T>): Promise<T> {
  const file = join(await ownFolder(repo), 'mutex');
  return withLock(file, WAIT_MS, change);
}
