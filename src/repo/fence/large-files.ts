import { createHash } from 'node:crypto';
import { lstat, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { objectPath } from '../../platform/lfs/pointer.ts';
import { namesIn, openPlainly } from './open-without-links.ts';
import { real } from './visible-paths.ts';

/** The folder of large files in an agent's own repository, as git-lfs names it. */
export const OWN_LARGE = 'lfs';

const PART = /^[0-9a-f]{2}$/;
const OID = /^[0-9a-f]{64}$/;

/** The objects of a git-lfs storage, if it really is one: only folders with names of two digits. */
export function largeObjectsOf(storage: string): string | undefined {
  const folder = real(join(storage, 'objects'));
  return folder !== undefined && namesIn(folder).every(({ name }) => PART.test(name)) ? folder : undefined;
}

/**
 * Brings the large files that an agent has added into our storage. Each is read as data: a plain file, not through a link, whose content
 * has the hash in its name. Anything else there stays where it is. Safe to repeat.
 */
export async function bringLargeFiles(own: string, storage: string): Promise<void> {
  const objects = join(own, OWN_LARGE, 'objects');
  for (const folder of foldersIn(objects).flatMap(foldersIn))
    for (const { name } of namesIn(folder)) if (OID.test(name)) await bring(join(folder, name), name, storage);
}

async function bring(from: string, oid: string, storage: string): Promise<void> {
  const to = objectPath(storage, oid);
  const size = (await lstat(from).catch(() => undefined))?.size;
  if (size === undefined || (await lstat(to).catch(() => undefined))?.size === size) return;
  const beside = join(storage, 'tmp', `furrow-home-${oid}`);
  await mkdir(dirname(beside), { recursive: true });
  await mkdir(dirname(to), { recursive: true });
  try {
    if ((await copied(from, beside)) === oid) await rename(beside, to);
  } finally {
    await rm(beside, { force: true });
  }
}

/** Copies a plain file, synced, and returns the hash of the copied bytes. */
async function copied(from: string, to: string): Promise<string | undefined> {
  const file = await openPlainly(from);
  if (!file) return undefined;
  await rm(to, { force: true });
  const copy = await open(to, 'wx', 0o644);
  try {
    const hash = createHash('sha256');
    for await (const part of file.createReadStream({ autoClose: false, highWaterMark: 1 << 20 }) as AsyncIterable<Buffer>) {
      hash.update(part);
      await copy.writeFile(part);
    }
    await copy.sync();
    return hash.digest('hex');
  } finally {
    await copy.close();
    await file.close();
  }
}

const foldersIn = (folder: string): string[] =>
  namesIn(folder).flatMap((one) => (one.isDirectory() && PART.test(one.name) ? [join(folder, one.name)] : []));
