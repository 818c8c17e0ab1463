import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { FurrowError } from './error.ts';
import { limiter } from './limit.ts';
import { quotedIfNeeded } from './shell.ts';

/** Keeps the connections of held locks from the garbage collector, which would close them and free the lock. */
const held = new Set<DatabaseSync>();

/**
 * Takes a lock that the operating system frees when this process ends, however it ends: a write transaction held open on an otherwise empty
 * SQLite file. `undefined` means somebody else holds it, which is an answer and not a failure.
 *
 * `begin immediate` and not `exclusive`, which fails on a process that merely looks: of 60 pairs that started together, both lost in 19
 * with `exclusive`, in none with `immediate`. Never open this file by other means: closing any descriptor of it drops the lock.
 */
export function holdLock(file: string): { release(): void } | undefined {
  let db: DatabaseSync | undefined;
  try {
    db = new DatabaseSync(file, { timeout: 0 });
    db.exec('pragma journal_mode = delete; begin immediate');
  } catch (error) {
    db?.close();
    if (isBusy(error)) return undefined;
    const why = error instanceof Error ? error.message : String(error);
    throw new FurrowError('LOCK_UNUSABLE', `the lock ${file} cannot be used: ${why}`, {
      hint: `ls -l ${quotedIfNeeded(file)}`,
      cause: error,
    });
  }
  const lock = db;
  held.add(lock);
  return {
    release() {
      if (held.delete(lock)) lock.close();
    },
  };
}

/**
 * Runs something while holding the lock: a mutex between processes, and within one. Callers in one process queue up in memory, first come
 * first served; `timeoutMs` bounds the wait of the first for another process. When each of 100 agents tried the file by itself, some failed
 * for 10 s.
 */
export function withLock<T>(file: string, timeoutMs: number, act: () => Promise<T> | T): Promise<T> {
  const queue = queues.get(file) ?? limiter(1);
  queues.set(file, queue);
  return queue(() => alone(file, timeoutMs, act));
}

const queues = new Map<string, ReturnType<typeof limiter>>();

async function alone<T>(file: string, timeoutMs: number, act: () => Promise<T> | T): Promise<T> {
  const lock = await waitFor(file, performance.now() + timeoutMs);
  if (!lock) {
    throw new FurrowError('TRY_AGAIN', `another process has held ${file} for ${timeoutMs} ms`, { hint: 'try again in a moment' });
  }
  try {
    return await act();
  } finally {
    lock.release();
  }
}

/** Tries again and again, because no event tells when another process frees a lock. The jitter keeps the waiting processes apart. */
async function waitFor(file: string, until: number): Promise<{ release(): void } | undefined> {
  for (let pause = 2; ; pause = Math.min(pause * 2, 32)) {
    const lock = holdLock(file);
    const left = until - performance.now();
    if (lock || left <= 0) return lock;
    await setTimeout(Math.min(left, pause * (0.5 + Math.random())));
  }
}

/** SQLITE_BUSY, with any of its extensions in the upper bits. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && 'errcode' in error && (Number(error.errcode) & 0xff) === 5;
}
