import { constants } from 'node:fs';
import { chmod, open, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError, isErrno } from '../../platform/error.ts';
import { takeLock } from '../../platform/git/own-locks.ts';
import { kindOf } from '../../platform/git/own-ref.ts';
import type { GitOptions, Repo } from '../../platform/git/run.ts';
import { quotedIfNeeded } from '../../platform/shell.ts';

/** Options that make a git work on a copy of a checkout's index. */
export type OnCopy = Required<Pick<GitOptions, 'cwd' | 'env'>>;

/**
 * A checkout's index that no other git can write, commit from or replace, with a copy for our gits. A commit made after the branch has
 * moved but before the index has would undo the landing.
 */
export interface HeldIndex {
  readonly on: OnCopy;
  /** Held since before the daemon was killed: no other git has written it since. */
  readonly takenOver: boolean;
  /** The copy has changes that the index must get. */
  changed: boolean;
  /** Replaces the index with a changed copy, and releases it. */
  letGo(): Promise<void>;
}

/** Half a second in all: a git of the user or their editor needs milliseconds. After a refusal a publication rests for three seconds. */
const TRIES = 10;

/**
 * Keeps other gits from writing the index of a checkout that does not change: while a branch moves, nobody can switch to its old value.
 * `undefined`: another git has the index.
 */
export async function lockIndex(repo: Repo, gitDir: string): Promise<(() => Promise<void>) | undefined> {
  const lock = join(gitDir, 'index.lock');
  const own = await takeLock(repo, lock, []);
  return own && (() => rm(lock, { force: true }).then(own.forget));
}

/** `undefined`: another git has the index, for longer than a moment. */
export async function holdIndex(repo: Repo, checkout: { path: string; gitDir: string }): Promise<HeldIndex | undefined> {
  const [index, copy] = [join(checkout.gitDir, 'index'), join(checkout.gitDir, 'index.furrow')];
  const lock = `${index}.lock`;
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    const own = await takeLock(repo, lock, [`${copy}.lock`]);
    if (own) {
      const held = {
        on: onCopy(checkout.path, copy),
        takenOver: own.takenOver,
        changed: false,
        async letGo() {
          // First renamed over our own lock, as git does: nobody can take it in between. A killed git of ours left its own.
          if (held.changed) await rename(copy, lock).then(() => rename(lock, index));
          for (const file of held.changed ? [`${copy}.lock`] : [`${copy}.lock`, copy, lock]) await rm(file, { force: true });
          await own.forget();
        },
      };
      try {
        await copyIndex(checkout.gitDir, copy);
        return held;
      } catch (error) {
        await held.letGo();
        throw error;
      }
    }
    await new Promise((again) => setTimeout(again, attempt * (5 + Math.random() * 10)));
  }
  return undefined;
}

export const onCopy = (cwd: string, copy: string): OnCopy => ({ cwd, env: { GIT_INDEX_FILE: copy } });

/**
 * Copies an index with its time or a little earlier: git looks into a file that changed in the second in which the index was written, and a
 * younger copy would call it unchanged. It does not use `copyFile`, which would wait at a named pipe for ever; such a daemon cannot be
 * stopped.
 */
export async function copyIndex(gitDir: string, to: string): Promise<void> {
  const from = join(gitDir, 'index');
  try {
    await using file = await open(from, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile())
      throw new FurrowError('NOT_A_FILE', `${from} is ${kindOf(found)}, and no index`, { hint: `ls -l ${quotedIfNeeded(from)}` });
    await writeFile(to, await file.readFile());
    await chmod(to, found.mode & 0o777);
    await utimes(to, found.atime, Math.floor(found.mtimeMs / 1000));
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
    await rm(to, { force: true });
  }
}
