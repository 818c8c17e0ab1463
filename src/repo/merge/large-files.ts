import { lstat, readFile, rm } from 'node:fs/promises';
import { bytePath } from '../../platform/files.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { userConfig } from '../../platform/git/user.ts';
import { objectPath, POINTER_BYTES, parsePointer } from '../../platform/lfs/pointer.ts';
import { smallBlobs } from './changes.ts';
import { filterOf } from './filters.ts';
import { movesOf } from './move.ts';
import type { Inside, SlotIndex } from './slot-index.ts';

/** Large files that a publication wrote as pointers, because their content is not on this machine. */
export async function publishedPointers(repo: Repo, from: string, to: string): Promise<string[]> {
  const lfs = await lfsOf(repo);
  const [move] = lfs ? await movesOf(repo, [{ path: repo.root, gitDir: repo.gitDir }], from, to) : [];
  if (!lfs || !move) return [];
  const filters = await filterOf(repo, move);
  const large = move.changes.filter(({ path }) => filters.get(path) === 'lfs');
  return withoutContent(repo, lfs.storage, large);
}

/** Large files of the checkout's index whose content is not on this machine. */
export async function missingContent(repo: Repo): Promise<string[]> {
  const lfs = await lfsOf(repo);
  if (!lfs) return [];
  const entries = (await git(repo, ['ls-files', '--stage', '-z', '--', ':(attr:filter=lfs)'], { encoding: 'latin1' })).split('\0');
  const large = entries.filter(Boolean).map((entry) => ({ oid: entry.split(' ')[1]!, path: entry.slice(entry.indexOf('\t') + 1) }));
  return withoutContent(repo, lfs.storage, large);
}

async function withoutContent(repo: Repo, storage: string, large: readonly { path: string; oid: string }[]): Promise<string[]> {
  const oids = large.map(({ oid }) => oid);
  const blobs = await smallBlobs(repo, oids, POINTER_BYTES);
  const missing: string[] = [];
  for (const { path, oid } of large)
    if ((await contentOf(storage, Buffer.from(blobs.get(oid) ?? '', 'latin1'))) === 'missing') missing.push(shown(path));
  return missing;
}

/**
 * Fills in the large files of a slot whose content has come since the checkout, and names those that are still pointers. Git takes a
 * pointer for the file itself and does not look again.
 */
export async function fillPointers(repo: Repo, inside: Inside, { attributes }: SlotIndex): Promise<string[]> {
  const lfs = await lfsOf(repo);
  if (
    !lfs ||
    !(await mention(
      inside.cwd,
      attributes.map(({ path }) => path),
    ))
  )
    return [];
  const options = { ...inside, encoding: 'latin1' as const };
  const paths = (await git(repo, ['ls-files', '-z', '--', ':(attr:filter=lfs)'], options)).split('\0').filter(Boolean);
  const found = await Promise.all(paths.map(async (path) => ({ path, is: await contentOf(lfs.storage, await start(inside.cwd, path)) })));
  const come = found.filter(({ is }) => is === 'here').map(({ path }) => path);
  for (const path of come) await rm(bytePath(inside.cwd, path));
  const input = Buffer.from(come.map((path) => `${path}\0`).join(''), 'latin1');
  if (come.length > 0) await git(repo, ['checkout-index', '-f', '-u', '-z', '--stdin'], { ...options, input });
  return found.filter(({ is }) => is === 'missing').map(({ path }) => shown(path));
}

/** True if the attributes mention git-lfs; otherwise those of thousands of files need not be asked for. */
async function mention(folder: string, attributes: readonly string[]): Promise<boolean> {
  const texts = await Promise.all(attributes.map((path) => readFile(bytePath(folder, path), 'latin1').catch(() => '')));
  return texts.some((text) => text.includes('lfs'));
}

const lfsOf = async (repo: Repo) => {
  const { lfs } = await userConfig(repo);
  return lfs && !lfs.skip ? lfs : undefined;
};

/** Tells whether bytes are a pointer, and whether its content is on this machine. */
async function contentOf(storage: string, bytes: Buffer): Promise<'none' | 'here' | 'missing'> {
  const pointer = parsePointer(bytes);
  if (!pointer || pointer.size === 0) return 'none';
  const object = await lstat(objectPath(storage, pointer.oid)).catch(() => undefined);
  return object?.size === pointer.size && !pointer.extended ? 'here' : 'missing';
}

/** The bytes of a file that may be a pointer; empty for a larger file. */
async function start(folder: string, path: string): Promise<Buffer> {
  const file = bytePath(folder, path);
  const found = await lstat(file).catch(() => undefined);
  return found?.isFile() && found.size <= POINTER_BYTES ? readFile(file) : Buffer.alloc(0);
}

const shown = (path: string) => Buffer.from(path, 'latin1').toString('utf8');
