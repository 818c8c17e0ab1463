import { constants, readdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join, resolve as resolvePath } from 'node:path';
import { couldNotLook, FurrowError } from '../error.ts';
import { readSmall } from '../files.ts';
import { isHead } from './find.ts';

/** The folders `.git/worktrees/<name>`, each the registration of a linked worktree. */
export function adminFolders(gitDir: string): string[] {
  const folder = join(gitDir, 'worktrees');
  try {
    return readdirSync(folder).map((name) => join(folder, name));
  } catch (error) {
    if (couldNotLook(error)) throw error;
    return [];
  }
}

/**
 * The worktree's path, from the file `gitdir` of its registration; `undefined` when that file is missing, a link, or names no `.git` file.
 */
export function placeOf(admin: string): string | undefined {
  const gitdir = textOf(join(admin, 'gitdir'));
  return gitdir && basename(gitdir) === '.git' ? dirname(resolvePath(admin, gitdir)) : undefined;
}

/** The first broken file of a registration, for a worktree that names a registration but that git does not list. */
export function brokenRegistration(gitDir: string, path: string): string | undefined {
  const named = /^gitdir: (.+)$/.exec(textOf(join(path, '.git')) ?? '')?.[1];
  const admin = named && resolvePath(path, named);
  if (!admin || dirname(admin) !== join(gitDir, 'worktrees')) return undefined;
  if (placeOf(admin) !== canonical(path)) return join(admin, 'gitdir');
  if (!textOf(join(admin, 'commondir'))) return join(admin, 'commondir');
  return isHead(textOf(join(admin, 'HEAD')) ?? '') ? undefined : join(admin, 'HEAD');
}

const textOf = (file: string) => readSmall(file, constants.O_NOFOLLOW)?.trim();

/**
 * The registration of the worktree at a path; none when two of them name the same path. It reads one small file of each: when 100 agents
 * ended together, and each read four files of all the others at once, the daemon ran out of descriptors.
 */
export function registrationOf(gitDir: string, path: string): string | undefined {
  const real = canonical(path);
  const found = adminFolders(gitDir).filter((admin) => placeOf(admin) === real);
  if (found.length > 1) {
    throw new FurrowError('WORKTREE_AMBIGUOUS', `${path} is registered ${found.length} times`, { hint: `rm one of: ${found.join(' ')}` });
  }
  return found[0];
}

/** A path the way git writes it down: links resolved as far as it exists. */
export function canonical(path: string): string {
  const absolute = resolvePath(path);
  try {
    return realpathSync.native(absolute);
  } catch {
    return dirname(absolute) === absolute ? absolute : join(canonical(dirname(absolute)), absolute.slice(dirname(absolute).length));
  }
}
