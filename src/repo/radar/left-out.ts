import { access, constants, lstat } from 'node:fs/promises';
import { bytePath } from '../../platform/files.ts';
import { type GitOptions, git, type Repo } from '../../platform/git/run.ts';

/** Something in a worktree that the radar does not look at, and why. */
export interface LeftOut {
  readonly path: string;
  readonly why: 'large' | 'unreadable' | 'a repository of its own' | 'a pipe or a socket' | 'too many new files';
}

/** The differences between a worktree's files and the private index. Paths are bytes, as latin1. */
export interface Unsaved {
  /** `undefined` on a branch without a commit. */
  readonly head: string | undefined;
  /** Neither files nor index differ from the head. */
  readonly clean: boolean;
  readonly present: readonly string[];
  readonly gone: readonly string[];
  readonly leftOut: readonly LeftOut[];
}

/** A larger file is from a build or a recording: hashing it at each look costs more than a warning about it is worth. */
const LARGE_BYTES = 10 * 1024 * 1024;
/** More new files than this are dependencies that are not ignored yet. */
const NEW_FILES = 5000;

/**
 * One `status` for head, changed and new files. Submodules only by their commit: for more, git would start another git in each, which obeys
 * any configuration that an agent wrote there.
 */
export async function unsaved(repo: Repo, root: string, options: GitOptions): Promise<Unsaved> {
  const how = ['--porcelain=v2', '-z', '--branch', '--no-ahead-behind', '--no-renames'];
  const out = await git(repo, ['status', ...how, '--untracked-files=all', '--ignore-submodules=dirty'], options);
  const fields = out.split('\0').filter(Boolean);
  const head = /^# branch\.oid ([0-9a-f]+)$/.exec(fields[0] ?? '')?.[1];
  const entries = fields.filter((field) => !field.startsWith('#'));
  const tracked = entries.filter((entry) => !entry.startsWith('?')).map(readEntry);
  const fresh = entries.filter((entry) => entry.startsWith('?')).map((entry) => entry.slice(2));
  const gone = tracked.filter(({ state }) => state === 'D').map(({ path }) => path);
  const changed = tracked.filter(({ state }) => state !== 'D' && state !== '.').map(({ path }) => path);
  const conflicted = new Set(tracked.filter(({ state }) => state === 'U').map(({ path }) => path));

  const present: string[] = [];
  const leftOut: LeftOut[] = fresh.slice(NEW_FILES).map((path) => ({ path: shown(path), why: 'too many new files' }));
  for (const path of [...changed, ...fresh.slice(0, NEW_FILES)]) {
    if (isOurs(path)) continue;
    const found = await inspect(root, path, conflicted.has(path));
    if (found === 'there') present.push(path);
    else if (found !== 'gone') leftOut.push({ path: shown(path), why: found });
    else if (conflicted.has(path)) gone.push(path);
  }
  return { head, clean: tracked.length === 0 && present.length === 0, present, gone, leftOut };
}

/** Parses `1 XY …8 fields… path` or `u XY …10 fields… path`; `state` compares the file with the index, `U` for an unmerged one. */
function readEntry(entry: string): { path: string; state: string } {
  const unmerged = entry.startsWith('u');
  const path = entry
    .split(' ')
    .slice(unmerged ? 10 : 8)
    .join(' ');
  return { path, state: unmerged ? 'U' : (entry[3] ?? '.') };
}

/** True for paths that furrow itself makes in a worktree while it fills it. */
const isOurs = (path: string) => /^\.furrow(\/|$)|\.furrow-copying(\/|$)/.test(path);

const GIT = Buffer.from('/.git');

async function inspect(root: string, path: string, conflicted: boolean): Promise<'there' | 'gone' | LeftOut['why']> {
  if (path.endsWith('/')) return 'a repository of its own';
  const bytes = bytePath(root, path);
  const found = await lstat(bytes).catch(() => undefined);
  if (!found) return 'gone';
  // A file was in conflict here: unless this is a submodule, its files are new files of their own.
  if (conflicted && found.isDirectory() && !(await lstat(Buffer.concat([bytes, GIT])).catch(() => undefined))) return 'gone';
  if (found.isDirectory() || found.isSymbolicLink()) return 'there';
  // Git fails on it, and would not see the rest.
  if (!found.isFile()) return 'a pipe or a socket';
  if (found.size > LARGE_BYTES) return 'large';
  const readable = await access(bytes, constants.R_OK).then(
    () => true,
    () => false,
  );
  return readable ? 'there' : 'unreadable';
}

const shown = (path: string) => Buffer.from(path, 'latin1').toString('utf8');
