import { existsSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { writeWhole } from './files.ts';
import { ownFolder } from './git/mutex.ts';
import type { Repo } from './git/run.ts';
import { holdLock } from './lock.ts';
import { placesOf } from './places.ts';
import { identify, isAlive, type ProcessId } from './process/identity.ts';

export interface DaemonLock {
  readonly file: string;
  /** The daemon answers from now on. */
  ready(): Promise<void>;
  release(): void;
}

/** Takes the lock of the one daemon of a repository, and names this process as the daemon; `undefined`: another has it. */
export async function holdDaemonLock(repo: Repo): Promise<DaemonLock | undefined> {
  const lock = await holdForLook(repo);
  if (!lock) return undefined;
  const name = nameOf(repo.gitDir);
  const self = { ...(identify(process.pid) ?? { pid: process.pid, start: '' }), gitDir: repo.gitDir };
  await writeWhole(name, JSON.stringify({ ...self, starting: true }));
  const signs = setInterval(() => sign(name), SIGN_MS).unref();
  return {
    file: lock.file,
    async ready() {
      clearInterval(signs);
      await writeWhole(name, JSON.stringify(self));
    },
    release() {
      clearInterval(signs);
      lock.release();
    },
  };
}

/**
 * Takes the same lock to look at a farm that has no daemon; it does not name this process as the daemon. The lock is in the git folder,
 * which `git clean` does not reach. A daemon of an older version holds the lock in `.furrow/run`.
 */
export async function holdForLook(repo: Repo): Promise<{ readonly file: string; release(): void } | undefined> {
  const file = join(await ownFolder(repo), 'daemon.lock');
  const lock = holdLock(file);
  if (!lock) return undefined;
  const former = join(placesOf(repo.root).run, 'daemon.lock');
  const both = existsSync(former) ? holdLock(former) : { release: () => {} };
  if (!both) {
    lock.release();
    return undefined;
  }
  return {
    file,
    release() {
      both.release();
      lock.release();
    },
  };
}

/** A look takes a second or less; a diff of a large change some more. */
const LOOK_MS = 10_000;

/** Does the same as `holdDaemonLock`, but waits for a process that only looks at the farm. */
export async function waitForDaemonLock(repo: Repo): Promise<DaemonLock | undefined> {
  for (const until = performance.now() + LOOK_MS; ; await sleep(AGAIN_MS)) {
    const lock = await holdDaemonLock(repo);
    if (lock || daemonOf(repo.gitDir) || performance.now() > until) return lock;
  }
}

/** Looks again after this: no event tells when another process frees a lock. */
const AGAIN_MS = 10;

/** A start that rebuilds a lost store or moves worktrees may take long; the process that waits sees by this sign that it lives. */
const SIGN_MS = 1000;

function sign(file: string): void {
  try {
    utimesSync(file, new Date(), new Date());
  } catch {
    // Somebody removed the file. It is only for messages.
  }
}

const nameOf = (gitDir: string) => join(gitDir, 'furrow.run', 'daemon.json');

export interface FoundDaemon extends ProcessId {
  /** Of a daemon that is still starting: when it last gave a sign of life. */
  readonly startingAt?: number;
}

/** The daemon that last took the lock, if it still runs. Use it for messages and to decide on waiting: only the lock itself decides. */
export function daemonOf(gitDir: string): FoundDaemon | undefined {
  const file = nameOf(gitDir);
  try {
    const named = JSON.parse(readFileSync(file, 'utf8')) as ProcessId & { gitDir: string; starting?: boolean };
    // In a copied repository the file names the daemon of the original.
    if (named.gitDir !== gitDir || !isAlive(named)) return undefined;
    return { pid: named.pid, start: named.start, ...(named.starting && { startingAt: statSync(file).mtimeMs }) };
  } catch {
    return undefined;
  }
}
