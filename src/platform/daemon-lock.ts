import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from './files.ts';
import { ownFolder } from './git/mutex.ts';
import type { Repo } from './git/run.ts';
import { holdLock } from './lock.ts';
import { placesOf } from './places.ts';
import { identify, isAlive, type ProcessId } from './process/identity.ts';

export interface DaemonLock {
  readonly file: string;
  release(): void;
}

/**
 * Takes the lock of the one daemon of a repository; `undefined`: another has it. It is in the git folder, which
 * `git clean` does not reach. A daemon of a version before that holds the one in `.furrow/run`.
 */
export async function holdDaemonLock(repo: Repo): Promise<DaemonLock | undefined> {
  const file = join(await ownFolder(repo), 'daemon.lock');
  const lock = holdLock(file);
  if (!lock) return undefined;
  const former = join(placesOf(repo.root).run, 'daemon.lock');
  const both = existsSync(former) ? holdLock(former) : { release: () => {} };
  if (!both) {
    lock.release();
    return undefined;
  }
  await writeWhole(
    nameOf(repo.gitDir),
    JSON.stringify({ ...(identify(process.pid) ?? { pid: process.pid, start: '' }), gitDir: repo.gitDir }),
  );
  return {
    file,
    release() {
      both.release();
      lock.release();
    },
  };
}

const nameOf = (gitDir: string) => join(gitDir, 'furrow.run', 'daemon.json');

/** The daemon that last took the lock, if it still runs. It is for messages: only the lock decides. */
export function daemonOf(gitDir: string): ProcessId | undefined {
  try {
    const named = JSON.parse(readFileSync(nameOf(gitDir), 'utf8')) as ProcessId & { gitDir: string };
    // In a copied repository the file names the daemon of the original.
    return named.gitDir === gitDir && isAlive(named) ? { pid: named.pid, start: named.start } : undefined;
  } catch {
    return undefined;
  }
}
