import { randomBytes } from 'node:crypto';
import { unlink } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { isErrno } from './error.ts';
import { privateFolder, readIfThere, writeWhole } from './files.ts';

/**
 * The user's own folder of furrow, outside every repository, for a person's decisions and for secrets. A repository can be cloned, copied
 * or unpacked from somebody else; this folder cannot.
 */
export function userFolder(env: NodeJS.ProcessEnv = process.env): string {
  return join(env['XDG_CONFIG_HOME'] || join(env['HOME'] || homedir(), '.config'), 'furrow');
}

/** The text of a file below the user's folder; `undefined`: there is none. */
export const readPrivate = (name: string): Promise<string | undefined> => readIfThere(join(userFolder(), name));

/** Writes a file below the user's folder that only they may read, whatever the umask. */
export async function writePrivate(name: string, text: string): Promise<void> {
  const path = join(userFolder(), name);
  await privateFolder(userFolder());
  await privateFolder(dirname(path));
  await writeWhole(path, text, 0o600);
}

/** Removes a file below the user's folder, if it is there. */
export async function forgetPrivate(name: string): Promise<void> {
  await unlink(join(userFolder(), name)).catch((error: unknown) => {
    if (!isErrno(error, 'ENOENT') && !isErrno(error, 'ENOTDIR')) throw error;
  });
}

/** A random text of 32 bytes. The first call makes it; later calls return the same. */
export async function secretNamed(name: string): Promise<string> {
  const known = (await readPrivate(name))?.trim();
  if (known) return known;
  const made = randomBytes(32).toString('hex');
  await writePrivate(name, `${made}\n`);
  return made;
}
