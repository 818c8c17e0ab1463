import { lstat, readdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { holders } from './holders.ts';
import { discard } from './trash.ts';

/** The time between two looks at a lock: by then a live git that writes has changed it, or is seen as a process. */
const LOOK_MS = 2_000;

/** Lock files below a folder. */
export async function locksBelow(folder: string, depth = 8): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const found = await Promise.all(
    entries.map(async (entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory() && depth > 0) return locksBelow(path, depth - 1);
      return entry.name.endsWith('.lock') ? [path] : [];
    }),
  );
  return found.flat();
}

/**
 * Moves locks that a dead git left into the trash: 50 of 76 commits that were killed left one, and every later git fails on it. Age alone
 * is no proof: no process may use the lock or its folder, and it must be the same at both looks.
 */
export async function clearLocks(
  locks: readonly { file: string; folder: string }[],
  trash: string,
): Promise<{ reaped: string[]; blocked: string[] }> {
  const first = await Promise.all(locks.map(async (lock) => ({ ...lock, fingerprint: await fingerprintOf(lock.file) })));
  const there = first.filter(({ fingerprint }) => fingerprint !== undefined);
  const reaped: string[] = [];
  const blocked: string[] = [];
  if (there.length === 0) return { reaped, blocked };
  await sleep(LOOK_MS);
  for (const { file, folder, fingerprint } of there) {
    const now = await fingerprintOf(file);
    if (now === undefined) continue;
    if (now !== fingerprint || holders([file, folder])?.size !== 0) blocked.push(file);
    else {
      await discard(file, trash, basename(file));
      reaped.push(file);
    }
  }
  return { reaped, blocked };
}

async function fingerprintOf(file: string): Promise<string | undefined> {
  const found = await lstat(file, { bigint: true }).catch(() => undefined);
  return found && `${found.ino}:${found.mtimeNs}`;
}
