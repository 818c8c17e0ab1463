import { on } from 'node:events';
import { watch } from 'node:fs';
import { mkdir, realpath, rmdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { FurrowError, isErrno } from '../../../../platform/error.ts';
import { readIfThere, writeWhole } from '../../../../platform/files.ts';
import type { LaunchRequest } from '../../driver.ts';
import { type Fields, fields } from '../json.ts';

/** Claude's folder and its configuration file, which lies beside the folder unless another folder was named. */
export interface ConfigPlace {
  readonly folder: string;
  readonly file: string;
}

export function userPlace(env: LaunchRequest['env']): ConfigPlace {
  const named = env['CLAUDE_CONFIG_DIR'];
  if (named) return { folder: named, file: join(named, '.claude.json') };
  const home = env['HOME'] ?? homedir();
  return { folder: join(home, '.claude'), file: join(home, '.claude.json') };
}

export function ownPlace(home: string): ConfigPlace {
  const folder = join(home, 'claude');
  return { folder, file: join(folder, '.claude.json') };
}

export function placeOf({ settings, env, home }: Pick<LaunchRequest, 'settings' | 'env' | 'home'>): ConfigPlace {
  return settings.config_home === 'own' ? ownPlace(home) : userPlace(env);
}

/** Reads a configuration file; undefined when there is none. One that cannot be read is never taken for empty. */
export async function readConfig(file: string): Promise<Fields | undefined> {
  const text = await readIfThere(file);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw notJson(file, error);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) throw notJson(file);
  return fields(value);
}

function notJson(file: string, cause?: unknown): FurrowError {
  const hint = `look at ${file}; claude keeps copies in its backups folder`;
  return new FurrowError('CLAUDE_CONFIG', `claude's configuration ${file} is not valid JSON, and furrow does not touch it`, {
    hint,
    cause,
  });
}

/** The holder of claude's lock touches it every 5 s. Claude ignores a lock that nobody touched for this long. */
const STALE_MS = 10_000;

/**
 * Changes a configuration file that every claude on the machine rewrites as it starts. It holds claude's own lock (a folder beside the
 * file), replaces the file in one step and keeps all that is not ours. `change` gives the same object for "as it is".
 */
export async function changeConfig(file: string, change: (config: Fields) => Fields): Promise<void> {
  await mkdir(dirname(file), { recursive: true, mode: 0o700 });
  const lock = `${file}.lock`;
  await take(lock, AbortSignal.timeout(STALE_MS));
  try {
    const before = (await readConfig(file)) ?? {};
    const after = change(before);
    if (after === before) return;
    // Some people keep the file elsewhere and have a link here: the link stays a link.
    const real = await realpath(file).catch(() => file);
    const mode = await stat(real).then(
      (found) => found.mode & 0o777,
      () => 0o600,
    );
    await writeWhole(real, `${JSON.stringify(after, null, 2)}\n`, mode);
  } finally {
    await rmdir(lock);
  }
}

/** The watch begins before the first look: a lock that is freed in between is not waited for. */
async function take(lock: string, signal: AbortSignal): Promise<void> {
  const watcher = watch(dirname(lock));
  try {
    const changes = on(watcher, 'change', { signal });
    do if (await taken(lock)) return;
    while (!(await changes.next()).done);
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    watcher.close();
  }
  if (await taken(lock)) return;
  throw new FurrowError('TRY_AGAIN', `claude's configuration is locked by ${lock}`, { hint: 'try again in a moment' });
}

async function taken(lock: string): Promise<boolean> {
  if (await made(lock)) return true;
  const touched = await stat(lock).then(
    (found) => found.mtimeMs,
    () => undefined,
  );
  // Somebody let it go a moment ago: whoever makes the folder first gets it.
  if (touched === undefined) return made(lock);
  if (Date.now() - touched < STALE_MS) return false;
  await rmdir(lock).catch(() => {});
  return made(lock);
}

async function made(lock: string): Promise<boolean> {
  return mkdir(lock).then(
    () => true,
    (error: unknown) => {
      if (isErrno(error, 'EEXIST')) return false;
      throw error;
    },
  );
}
