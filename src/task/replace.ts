import { randomBytes } from 'node:crypto';
import { linkSync, lstatSync, readFileSync, renameSync, type Stats, unlinkSync } from 'node:fs';
import { mkdir, open, readFile, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isErrno } from '../platform/error.ts';
import { faultPoint } from '../platform/fault.ts';
import { syncFolder } from '../platform/files.ts';
import { outOfSight } from './out-of-sight.ts';
import { hashOf } from './scan.ts';

const LATE_MS = 10;

export type Replaced = { hash: string } | 'changed' | 'gone';

/**
 * Replaces a file that people and other programs edit without locks: only if it is still the one that was read, and
 * never at the price of their edit.
 *
 * Looking and then renaming over is not enough: an editor that hammered the file lost 13 of 3,000 saves in between. So
 * the file is first moved aside, whatever it is by then; ours takes the name only if nobody else has; and what was moved
 * aside is put back if it turns out to be somebody's edit, even one still being written. The name is free for the time
 * of two system calls; after a kill in that moment `sweepFolder` puts the file back. `onHash` is told the hash of the new
 * file before anybody can read it.
 *
 * The two other files are out of git's sight, or beside this one where nothing can be renamed from there.
 */
export async function replaceIfSame(
  path: string,
  expectedHash: string,
  make: (text: string) => string,
  onHash: (hash: string) => void = () => {},
): Promise<Replaced> {
  const before = await readWithStat(path);
  if (!before) return 'gone';
  if (hashOf(before.bytes) !== expectedHash) return 'changed';
  const bytes = Buffer.from(make(before.bytes.toString('utf8')), 'utf8');
  const hash = hashOf(bytes);
  onHash(hash);
  const version = { path, expectedHash, hash, bytes, mode: before.stat.mode };
  const away = await madeAway(dirname(path));
  if (away === undefined) return replaceBy(dirname(path), version);
  return replaceBy(away, version).catch((error: unknown) => {
    // Another file system: nothing was moved yet.
    if (isErrno(error, 'EXDEV')) return replaceBy(dirname(path), version);
    throw error;
  });
}

interface Version {
  readonly path: string;
  readonly expectedHash: string;
  readonly hash: string;
  readonly bytes: Uint8Array;
  readonly mode: number;
}

/** The folder out of git's sight, made; undefined: there is none, or it cannot be written. */
async function madeAway(dir: string): Promise<string | undefined> {
  const away = outOfSight(dir);
  return (
    away &&
    mkdir(away, { recursive: true }).then(
      () => away,
      () => undefined,
    )
  );
}

async function replaceBy(folder: string, { path, expectedHash, hash, bytes, mode }: Version): Promise<Replaced> {
  const nonce = randomBytes(4).toString('hex');
  const beside = join(folder, `.${basename(path)}.${nonce}.tmp`);
  const aside = join(folder, `.${basename(path)}.${expectedHash}.${nonce}.was`);
  try {
    await writeSynced(beside, bytes, mode);
    await faultPoint('board.beside');
    const swapped = swap(path, beside, aside, expectedHash);
    if (swapped !== 'done') return swapped;
    await faultPoint('board.swapped');
    await syncFolder(dirname(path));
    return (await stillSame(path, aside, beside, expectedHash)) ? { hash } : 'changed';
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
  if (ours && hashOf(readFileSync(aside)) === expectedHash) return 'done';
  // An edit came between our reading and the move: it goes back.
  if (ours) putBack(aside, path, beside);
  else unlinkSync(aside);
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

/** Gives an edit its name again, unless a still newer one has taken it. */
function putBack(aside: string, path: string, beside: string): void {
  const now = lstatSync(path, { throwIfNoEntry: false });
  const ours = lstatSync(beside, { throwIfNoEntry: false });
  if (!now || !ours || now.ino === ours.ino) renameSync(aside, path);
  else unlinkSync(aside);
}

/**
 * An editor that had opened the old file may go on writing into it: then its version gets the name back. It is given a
 * moment, since opening with truncation waits inside the system while the disk is synced: 5 of 3,000 saves came that late.
 */
async function stillSame(path: string, aside: string, beside: string, expectedHash: string): Promise<boolean> {
  await setTimeout(LATE_MS);
  if (hashOf(readFileSync(aside)) !== expectedHash) {
    putBack(aside, path, beside);
    return false;
  }
  unlinkSync(aside);
  return true;
}
