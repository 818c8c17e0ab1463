import { lstat, readdir } from 'node:fs/promises';
import { bytePath } from '../../platform/files.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { GITLINK } from './file-modes.ts';
import type { OnCopy } from './held-index.ts';
import type { Move } from './move.ts';

/**
 * Untracked files on disk at the places where the move writes. Since 2.34 `read-tree -u` overwrites ignored files: it overwrote an ignored
 * `.env`, and emptied a folder of ignored files to put a file in its place.
 */
export async function inTheWay(repo: Repo, move: Move, on: OnCopy): Promise<string[]> {
  const added = move.changes.filter((one) => one.status !== 'D' && one.status !== 'M').map((one) => one.path);
  const there = new Set((await Promise.all(added.map((path) => occupied(move.path, path)))).flat());
  if (there.size === 0) return [];
  const tracked = new Set((await git(repo, ['ls-files', '-z'], { ...on, encoding: 'latin1' })).split('\0'));
  return [...there].filter((path) => !tracked.has(path));
}

/**
 * Paths of the move that the user has deleted without telling git, or covered with a link: `read-tree -u` would write them again, and
 * replace the link by a folder. A path that the landing deletes too may be gone, but not be behind a link. Paths that a sparse checkout
 * leaves out do not count as deleted.
 */
export async function takenAway(repo: Repo, move: Move, on: OnCopy): Promise<string[]> {
  const known = move.changes.filter((one) => one.status !== 'A' && one.mode !== GITLINK);
  const looked = await Promise.all(known.map(async ({ path, status }) => ({ path, status, how: await reach(move.path, path) })));
  const gone = looked.filter(({ how, status }) => how === 'linked' || (how === 'missing' && status !== 'D')).map(({ path }) => path);
  if (gone.length === 0) return [];
  const listing = await git(repo, ['ls-files', '-z', '-t'], { ...on, encoding: 'latin1' });
  // A path that is not in the index was deleted there, and git itself refuses.
  const here = new Set(listing.split('\0').flatMap((line) => (line.startsWith('H ') ? [line.slice(2)] : [])));
  return gone.filter((path) => here.has(path));
}

async function reach(root: string, path: string): Promise<'there' | 'missing' | 'linked'> {
  const parts = path.split('/');
  for (let depth = 1; depth < parts.length; depth++) {
    const found = await lstat(bytePath(root, parts.slice(0, depth).join('/'))).catch(() => undefined);
    if (!found) return 'missing';
    if (!found.isDirectory()) return 'linked';
  }
  return (await lstat(bytePath(root, path)).catch(() => undefined)) ? 'there' : 'missing';
}

/** The files on a path: the first part that is no folder, or every file below it. */
async function occupied(root: string, path: string): Promise<string[]> {
  const parts = path.split('/');
  for (let depth = 1; depth <= parts.length; depth++) {
    const part = parts.slice(0, depth).join('/');
    const found = await lstat(bytePath(root, part)).catch(() => undefined);
    if (!found) return [];
    if (!found.isDirectory()) return [part];
  }
  return filesBelow(root, path);
}

async function filesBelow(root: string, folder: string): Promise<string[]> {
  const entries = await readdir(bytePath(root, folder), { withFileTypes: true, encoding: 'latin1' });
  const found = entries.map((entry) => {
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? filesBelow(root, path) : [path];
  });
  return (await Promise.all(found)).flat();
}
