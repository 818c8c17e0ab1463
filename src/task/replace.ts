import { randomBytes } from 'node:crypto';
import { lstatSync, renameSync, type Stats } from 'node:fs';
import { link, open, readdir, readFile, rename, stat, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isErrno } from '../platform/error.ts';
import { faultPoint } from '../platform/fault.ts';
import { syncFolder } from '../platform/files.ts';
import { hashOf } from './scan.ts';

export type Replaced = { hash: string } | 'changed' | 'gone';

/**
 * Replaces a file that people and other programs edit without locks: only if it is still the one that was read, and
 * never at the price of their edit. The old file is kept by a second name while it is replaced: an editor that had it
 * open and wrote into it meanwhile is noticed, and its version put back. Between the last look and the rename lie two
 * system calls, about 10 µs.
 */
export async function replaceIfSame(path: string, expectedHash: string, make: (text: string) => string): Promise<Replaced> {
  const was = await secondName(path, expectedHash);
  if (was === 'gone') return 'gone';
  try {
    const before = await readOld(was ?? path);
    if (!before) return 'gone';
    if (hashOf(before.bytes) !== expectedHash) return 'changed';
    const bytes = Buffer.from(make(before.bytes.toString('utf8')), 'utf8');
    const beside = await writeBeside(path, bytes, before.stat.mode);
    await faultPoint('board:beside');
    const renamed = renameOver(beside, path, before.stat);
    if (renamed !== 'done') {
      await unlink(beside);
      return renamed;
    }
    await faultPoint('board:renamed');
    if (was && hashOf(await readFile(was)) !== expectedHash) {
      await rename(was, path);
      return 'changed';
    }
    await syncFolder(dirname(path));
    return { hash: hashOf(bytes) };
  } finally {
    if (was) await unlink(was).catch(() => {});
  }
}

/** A hard link that names the expected version, or `undefined` on a file system that has none. */
async function secondName(path: string, expectedHash: string): Promise<string | 'gone' | undefined> {
  const name = join(dirname(path), `.${basename(path)}.${expectedHash}.${randomBytes(4).toString('hex')}.was`);
  try {
    await link(path, name);
    return name;
  } catch (error) {
    if (isErrno(error, 'ENOENT') || isErrno(error, 'ENOTDIR')) return 'gone';
    return undefined;
  }
}

async function readOld(path: string): Promise<{ bytes: Buffer; stat: Stats } | undefined> {
  try {
    return { stat: await stat(path), bytes: await readFile(path) };
  } catch (error) {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  }
}

async function writeBeside(path: string, bytes: Uint8Array, mode: number): Promise<string> {
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(4).toString('hex')}.tmp`);
  const file = await open(beside, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.chmod(mode & 0o777);
    await file.sync();
  } catch (error) {
    await unlink(beside).catch(() => {});
    throw error;
  } finally {
    await file.close();
  }
  return beside;
}

/** Looks once more and renames, with nothing in between that waits. */
function renameOver(beside: string, path: string, before: Stats): 'done' | 'changed' | 'gone' {
  const now = lstatSync(path, { throwIfNoEntry: false });
  if (!now) return 'gone';
  if (now.ino !== before.ino || now.size !== before.size || now.mtimeMs !== before.mtimeMs) return 'changed';
  renameSync(beside, path);
  return 'done';
}

/**
 * Removes what a killed daemon left between two steps. A second name whose bytes are not the version it was made for
 * holds somebody's edit: it is put back if it is the newer one, and otherwise left for a person to look at.
 */
export async function sweepFolder(dir: string): Promise<void> {
  const names = await readdir(dir).catch(() => [] as string[]);
  for (const name of names) {
    const path = join(dir, name);
    if (/^\..+\.[0-9a-f]{8}\.tmp$/.test(name)) await unlink(path);
    const was = /^\.(.+)\.([0-9a-f]{64})\.[0-9a-f]{8}\.was$/.exec(name);
    if (!was) continue;
    const old = await readOld(path);
    const file = join(dir, was[1]!);
    const now = await readOld(file);
    if (!old) continue;
    if (hashOf(old.bytes) === was[2] || (now && now.stat.ino === old.stat.ino)) await unlink(path);
    else if (!now || now.stat.mtimeMs <= old.stat.mtimeMs) await rename(path, file);
  }
}
