import { chmodSync, lstatSync, rmSync, type Stats } from 'node:fs';
import { chmod, lstat } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises';
import { FurrowError } from '../../platform/error.ts';
import { bytePath } from '../../platform/files.ts';
import type { IndexEntry } from '../../platform/git/index-file.ts';
import type { SlotIndex } from './slot-index.ts';

/** So many files are looked at before other work gets a turn: about 5 ms. */
const AT_ONCE = 500;

/**
 * Removes every tracked file of a slot whose time of change or inode is not as git wrote it, so that git writes it again. Git itself
 * compares whole seconds: a check that writes a file twice within one could leave other bytes for the next tree. Every change of a file's
 * bytes, mode or links changes its time of change, which nobody can set.
 */
export async function removeTouched(root: string, { files, folders }: SlotIndex, keepsModes: boolean): Promise<void> {
  await each(folders, (folder) => mendFolder(bytePath(root, folder), keepsModes));
  await each(files, (file) => {
    const path = bytePath(root, file.path);
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found && !isAsWritten(found, file, keepsModes)) rmSync(path as unknown as string, { recursive: true, force: true });
  });
}

/** True when every tracked file of a slot has the time of change and inode that git wrote: then git need not be asked. */
export async function isUntouched(root: string, { files }: SlotIndex, keepsModes: boolean): Promise<boolean> {
  let same = true;
  await each(files, (file) => {
    const found = same ? lstatSync(bytePath(root, file.path), { throwIfNoEntry: false }) : undefined;
    same &&= found !== undefined && isAsWritten(found, file, keepsModes);
  });
  return same;
}

async function each<T>(all: readonly T[], look: (one: T) => void): Promise<void> {
  for (let at = 0; at < all.length; at += AT_ONCE) {
    for (const one of all.slice(at, at + AT_ONCE)) look(one);
    await turn();
  }
}

/** Repairs a folder: a link in its place would show outside files, and with another mode the next check could not write there. */
function mendFolder(path: Buffer, keepsModes: boolean): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (!found) return;
  const usual = 0o777 & ~process.umask();
  if (!found.isDirectory()) rmSync(path as unknown as string, { force: true });
  else if (keepsModes && (found.mode & 0o1777) !== usual) chmodSync(path, usual);
}

const LOW = 2 ** 32;
const KIND = 0o170000;
const PLAIN = 0o100000;

function isAsWritten(found: Stats, file: IndexEntry, keepsModes: boolean): boolean {
  const compared = keepsModes && (file.mode & KIND) === PLAIN ? KIND | 0o100 : KIND;
  return (
    found.ctimeMs === file.ctime &&
    found.mtimeMs === file.mtime &&
    found.ino % LOW === file.ino &&
    found.size % LOW === file.size &&
    found.uid === file.uid &&
    found.gid === file.gid &&
    (found.mode & compared) === (file.mode & compared)
  );
}

/** Longer than any file system's clock stands still: those of FAT go by 2 s. */
const PATIENCE_MS = 5000;

/**
 * Waits until a change of a file would show in its time of change: clocks of file systems tick every 4 ms, or every few seconds. Usually
 * that has happened while git looked at the slot.
 */
export async function clockMoved(root: string, { files }: SlotIndex): Promise<void> {
  const file = join(root, '.git');
  for (const until = performance.now() + PATIENCE_MS; performance.now() < until; await sleep(1)) {
    // The same mode again: that sets its time of change.
    await chmod(file, (await lstat(file)).mode);
    const now = (await lstat(file)).ctimeMs;
    if (!files.some(({ ctime }) => ctime === now)) return;
  }
  throw new FurrowError('SLOT_CLOCK', `the clock of the file system of ${root} stands still`, { hint: 'date; df .' });
}
