import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { ownFolder } from './mutex.ts';
import type { Repo } from './run.ts';

const homeOf = async (repo: Repo) => join(await ownFolder(repo), 'scratch');

/**
 * Makes a folder for a private index, and removes it after use. It is not in the system's temporary folder, where that of a killed process
 * would stay.
 */
export async function withScratch<T>(repo: Repo, use: (folder: string) => Promise<T>): Promise<T> {
  const home = await homeOf(repo);
  await mkdir(home, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(home, 'index-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** Removes what a killed daemon left. The next daemon calls it, with the lock held and before it makes any itself. */
export async function clearScratch(repo: Repo): Promise<void> {
  await rm(await homeOf(repo), { recursive: true, force: true });
}
