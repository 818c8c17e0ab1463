import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { FurrowError } from './error.ts';
import { spawnPiped } from './exec.ts';
import { quotedIfNeeded } from './shell.ts';

const WAIT_S = 10;

/**
 * Runs something while holding the flock of a file that other programs lock too. Node has no call for it, so the program `flock` of
 * util-linux holds it. If the file or that program is missing, it runs without a lock.
 */
export async function withFlock<T>(path: string, run: () => Promise<T>): Promise<T> {
  const holder = existsSync(path) ? await hold(path) : undefined;
  try {
    return await run();
  } finally {
    holder?.stdin?.end();
  }
}

/** A child that keeps the lock until its input ends; `undefined` where it cannot be started. */
async function hold(path: string): Promise<ReturnType<typeof spawnPiped> | undefined> {
  const env = { PATH: process.env['PATH'] ?? '' };
  const child = spawnPiped(['flock', '-w', String(WAIT_S), path, 'sh', '-c', 'echo held; exec cat'], { env });
  child.stdin?.on('error', () => {});
  const said = once(child.stdout!, 'data').then(() => 'held' as const);
  said.catch(() => {});
  const ended = once(child, 'close').then(
    ([code]) => code as number | null,
    () => 'missing' as const,
  );
  const first = await Promise.race([said, ended]);
  if (first === 'held') return child;
  if (first === 'missing') return undefined;
  throw new FurrowError('TRY_AGAIN', `another program has locked ${path} for more than ${WAIT_S} s`, {
    hint: `fuser ${quotedIfNeeded(path)}`,
  });
}
