import { randomBytes } from 'node:crypto';
import { linkSync, readFileSync, renameSync, type Stats, unlinkSync } from 'node:fs';
import { open, readFile, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isErrno } from '../platform/error.ts';
import { faultPoint } from '../platform/fault.ts';
import { syncFolder } from '../platform/files.ts';
import { hashOf } from './scan.ts';

export type Replaced = { hash: string } | 'changed' | 'gone';

/**
 * Replaces a file that people and other programs edit without locks: only if it is still the one that was read, and
 * never at the price of their edit.
 *
 * Looking and then renaming over is not enough: an editor that hammered the file lost 13 of 3,000 saves in between. So
 * the file is first moved aside, whatever it is by then; ours takes the name only if nobody else has; and what was moved
 * aside is put back if it turns out to be somebody's edit, even one still being written. The name is free for the time
 * of two system calls; after a kill in that moment `sweepFolder` puts the file back.
 */
export async function replaceIfSame(path: string, expectedHash: string, make: (text: string) => string): Promise<Replaced> {
  const before = await readWithStat(path);
  if (!before) return 'gone';
  if (hashOf(before.bytes) !== expectedHash) return 'changed';
  const bytes = Buffer.from(make(before.bytes.toString('utf8')), 'utf8');
  const nonce = randomBytes(4).toString('hex');
  const beside = join(dirname(path), `.${basename(path)}.${nonce}.tmp`);
  const aside = join(dirname(path), `.${basename(path)}.${expectedHash}.${nonce}.was`);
  try {
    await writeSynced(beside, bytes, before.stat.mode);
    await faultPoint('board.beside');
    const swapped = swap(path, beside, aside, expectedHash);
    if (swapped !== 'done') return swapped;
    await faultPoint('board.swapped');
    await syncFolder(dirname(path));
    return (await stillSame(path, aside, expectedHash)) ? { hash: hashOf(bytes) } : 'changed';
  } finally {
    await unlink(beside).catch(() => {});
  }
}

export async function readWithStat(path: string): Promise<{ bytes: Buffer; stat: Stats } | undefined> {
  try {
    return { stat: await stat(path), bytes: await readFile(path) };
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return undefined;
    throw error;
  }
}

async function writeSynced(path: string, bytes: Uint8Array, mode: number): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.chmod(mode & 0o777);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Synchronous, so that nothing of ours runs while the name is free. */
function swap(path: string, beside: string, aside: string, expectedHash: string): 'done' | 'changed' | 'gone' {
  try {
    renameSync(path, aside);
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return 'gone';
    throw error;
  }
  const ours = takeName(beside, path);
  if (hashOf(readFileSync(aside)) === expectedHash) return ours ? 'done' : discard(aside);
  // An edit came between our reading and the move. It goes back, unless a still newer one has the name already.
  if (!ours) return discard(aside);
  renameSync(aside, path);
  return 'changed';
}

/** `false` when somebody else has given a file that name meanwhile. */
function takeName(beside: string, path: string): boolean {
  try {
    linkSync(beside, path);
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    // A file system without hard links.
    renameSync(beside, path);
  }
  return true;
}

function discard(aside: string): 'changed' {
  unlinkSync(aside);
  return 'changed';
}

/** An editor that had the old file open may have gone on writing into it: then its version gets the name back. */
async function stillSame(path: string, aside: string, expectedHash: string): Promise<boolean> {
  if (hashOf(await readFile(aside)) === expectedHash) {
    await unlink(aside);
    return true;
  }
  await rename(aside, path);
  return false;
}
