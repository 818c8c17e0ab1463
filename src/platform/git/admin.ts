import { constants, lstatSync, readdirSync } from 'node:fs';
import { basename, join } from 'node:path';
import { couldNotLook } from '../error.ts';
import { readSmall } from '../files.ts';
import { isHead } from './find.ts';
import { adminFolders, placeOf, registrationOf, canonical as resolved } from './registrations.ts';
import type { GitOptions, Repo } from './run.ts';

/** A linked worktree as its folder `.git/worktrees/<name>` describes it, read without git: it may be half-made. */
export interface Linked {
  readonly name: string;
  readonly admin: string;
  /** Where the worktree is, by the file `gitdir`; `undefined` when that is missing or empty. */
  readonly path: string | undefined;
  /** The content of `HEAD`, trimmed. */
  readonly head: string;
  readonly locked: string | undefined;
  /** Git can read it: `commondir` and `gitdir` have content, and `HEAD` has content that git accepts. */
  readonly whole: boolean;
}

/** The lock reason while `worktree add` fills the folder; removed when all files are there. Nobody has worked in it yet. */
export const FILLING = 'furrow: filling';

const NOTHING = /^0+$/;

export async function linkedWorktrees(repo: Repo): Promise<Linked[]> {
  return adminFolders(repo.gitDir).map(readLinked);
}

/** Does not follow links: people see the reason of a lock, and a link could show them any file. */
function readLinked(admin: string): Linked {
  const [commondir, head, locked] = ['commondir', 'HEAD', 'locked'].map((file) =>
    readSmall(join(admin, file), constants.O_NOFOLLOW)?.trim(),
  );
  const path = placeOf(admin);
  const whole = Boolean(path && commondir && head && isHead(head) && !NOTHING.test(head));
  return { name: basename(admin), admin, path, head: head ?? '', locked, whole };
}

/** The registration of the worktree at a path; none when two of them name the same path. */
export async function linkedAt(repo: Repo, path: string): Promise<Linked | undefined> {
  const admin = registrationOf(repo.gitDir, path);
  return admin === undefined ? undefined : readLinked(admin);
}

/** A path the way git writes it down: links resolved as far as it exists. */
export const canonical = async (path: string): Promise<string> => resolved(path);

/**
 * Options for git in a linked worktree. They name every folder, so that git never reads a `.git` that an agent has replaced, for example by
 * a folder with its own configuration.
 */
export function inWorktree(_repo: Repo, linked: Linked): GitOptions & { env: Record<string, string>; cwd: string } {
  const path = linked.path ?? '';
  return { cwd: path, env: { GIT_DIR: linked.admin, GIT_WORK_TREE: path } };
}

/** Files that git replaces by a rename. It writes all others in place, through any link. */
const REPLACED = new Set(['index', 'HEAD', 'gitdir', 'commondir', 'locked']);

/**
 * The path of the first link in a worktree's registration that would lead a git of ours to write outside. Agents can write there: a planted
 * `logs/HEAD` made git append its line to any file.
 */
export function plantedIn(folder: string, depth = 3): string | undefined {
  for (const name of namesIn(folder)) {
    const path = join(folder, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (!found) continue;
    if (found.isDirectory()) {
      const inner = name === 'modules' || depth === 0 ? undefined : plantedIn(path, depth - 1);
      if (inner) return inner;
    } else if (!found.isFile() || (found.nlink > 1 && !REPLACED.has(name))) return path;
  }
  return undefined;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (couldNotLook(error)) throw error;
    return [];
  }
}
