import { lstat, readdir } from 'node:fs/promises';
import { bytePath } from '../../platform/files.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { GITLINK } from './conflict.ts';
import type { OnCopy } from './held-index.ts';
import type { Move } from './move.ts';

/**
 * Files on disk that git does not have, where the move puts something. Since 2.34 `read-tree -u` takes ignored files for
 * worthless: it overwrote an ignored `.env`, and emptied a folder of ignored files to put a file in its place.
 */
export async function inTheWay(repo: Repo, move: Move, on: OnCopy): Promise<string[]> {
  const added = move.changes.filter((one) => one.status !== 'D' && one.status !== 'M').map((one) => one.path);
  const there = new Set((await Promise.all(added.map((path) => occupied(move.path, path)))).flat());
  if (there.size === 0) return [];
  const tracked = new Set((await git(repo, ['ls-files', '-z'], { ...on, encoding: 'latin1' })).split('\0'));
  return [...there].filter((path) => !tracked.has(path));
}

/**
 * Paths that the move changes and the user has deleted without telling git, or put a link over: `read-tree -u` writes them
 * again, and replaces a link on the way by a folder. A path that the landing deletes as well may be gone, but not be reached
 * through a link. What a sparse checkout leaves out is not there either, and is nobody's deletion.
 */
export async function takenAway(repo: Repo, move: Move, on: OnCopy): Promise<string[]> {
  const known = move.changes.filter((one) => one.status !== 'A' && one.mode !== GITLINK);
  const looked = await Promise.all(known.map(async ({ path, status }) => ({ path, status, how: await reach(move.path, path) })));
  const gone = looked.filter(({ how, status }) => how === 'linked' || (how === 'missing' && status !== 'D')).map(({ path }) => path);
  if (gone.length === 0) return [];
  const listing = await git(repo, ['ls-files', '-z', '-t'], { ...on, encoding: 'latin1' });
  // What is not in the index was deleted there, and git itself refuses.
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

/** The files that lie on a path: the first thing on the way that is no folder, or every file below it. */
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
