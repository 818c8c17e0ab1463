import { constants } from 'node:fs';
import { chmod, open, rename, rm, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { FurrowError, isErrno } from '../../platform/error.ts';
import { takeLock } from '../../platform/git/own-locks.ts';
import { kindOf } from '../../platform/git/own-ref.ts';
import type { GitOptions, Repo } from '../../platform/git/run.ts';

/** Makes a git work on a copy of a checkout's index. */
export type OnCopy = Required<Pick<GitOptions, 'cwd' | 'env'>>;

/**
 * A checkout's index that no other git can write, commit from or replace, and a copy of it for gits of ours. A commit made
 * after the branch has moved and before the index has would undo the landing: the index says nothing of it yet.
 */
export interface HeldIndex {
  readonly on: OnCopy;
  /** Held since before the daemon was killed: no other git has written it since. */
  readonly takenOver: boolean;
  /** The copy has something that the index must get. */
  changed: boolean;
  /** Puts a changed copy in the place of the index, and lets go. */
  letGo(): Promise<void>;
}

/** Half a second in all: a git of the user, or of their editor, needs milliseconds. Refused, a publication rests for three seconds. */
const TRIES = 10;

/**
 * Keeps other gits from writing the index of a checkout that is not to be changed: for the moment in which a branch moves,
 * nobody can switch to it by what they read before. `undefined`: another git has it.
 */
export async function lockIndex(repo: Repo, gitDir: string): Promise<(() => Promise<void>) | undefined> {
  const lock = join(gitDir, 'index.lock');
  const own = await takeLock(repo, lock, []);
  return own && (() => rm(lock, { force: true }).then(own.forget));
}

/** `undefined`: another git has the index, and not only for a moment. */
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
          // Over our own lock first, which is what git does: nobody can take it in between. A killed git of ours left its own.
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
 * Copies an index as old as it is, or a little older: a file changed in the second in which the index was written counts as
 * unknown by that alone, and a younger copy would call it unchanged. Not by `copyFile`: it would wait at a named pipe for ever, and a daemon
 * that waits there cannot be stopped.
 */
export async function copyIndex(gitDir: string, to: string): Promise<void> {
  const from = join(gitDir, 'index');
  try {
    await using file = await open(from, constants.O_RDONLY | constants.O_NONBLOCK);
    const found = await file.stat();
    if (!found.isFile()) throw new FurrowError('NOT_A_FILE', `${from} is ${kindOf(found)}, and no index`, { hint: `ls -l ${from}` });
    await writeFile(to, await file.readFile());
    await chmod(to, found.mode & 0o777);
    await utimes(to, found.atime, Math.floor(found.mtimeMs / 1000));
  } catch (error) {
    if (!isErrno(error, 'ENOENT')) throw error;
    await rm(to, { force: true });
  }
}
