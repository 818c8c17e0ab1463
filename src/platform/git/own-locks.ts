import { lstatSync } from 'node:fs';
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isErrno } from '../error.ts';
import type { Finished } from '../exec.ts';
import { readIfThere } from '../files.ts';
import { placesOf } from '../places.ts';
import { identify, isAlive, type ProcessId } from '../process/identity.ts';
import { gitsIn } from './holders.ts';
import { ownFolder } from './mutex.ts';
import { type GitOptions, type Repo, runGit } from './run.ts';
import { discard } from './trash.ts';

/** Written before a git of ours takes locks; removed when that git has ended by itself, which also removes its locks. */
interface Note {
  readonly owner: ProcessId;
  readonly locks: readonly string[];
  /** `takeLock` took the first lock. It guards a half-changed state, so the next daemon takes it over and does not clear it. */
  readonly held?: boolean;
}

let count = 0;
/** Notes whose git runs in this process: only the code that wrote one may settle it. */
const active = new Set<string>();

/**
 * Runs a git of ours that takes these lock files. If killed, it leaves them (50 of 76 kills of a commit did), and every later git fails on
 * them, the user's too. The note proves to this daemon and the next that they are ours: their git was killed, they are younger than the
 * note, and no live git could hold them. Such locks go to the trash.
 */
export async function lockingGit(
  repo: Repo,
  locks: readonly string[],
  args: readonly string[],
  options: GitOptions = {},
): Promise<Finished> {
  const note = await begin(repo);
  try {
    await write(note, locks);
    const done = await runGit(repo, args, options);
    if (done.code === null) await settle(repo, note);
    else await rm(note);
    return done;
  } finally {
    active.delete(note);
  }
}

/** A lock file that we hold. The code that removes the file calls `forget`. */
interface OwnLock {
  /** An earlier daemon took it and was killed: nobody has written what it guards since then. */
  readonly takenOver: boolean;
  forget(): Promise<void>;
}

/**
 * Takes a lock file ourselves, so that several gits of ours can work under it; `others` are the locks that those may leave when killed. A
 * lock that a killed daemon left is taken over without ever being free. `undefined`: somebody else has it.
 */
export async function takeLock(repo: Repo, lock: string, others: readonly string[]): Promise<OwnLock | undefined> {
  const note = await begin(repo);
  const forget = async () => {
    await rm(note, { force: true });
    active.delete(note);
  };
  try {
    await write(note, [lock, ...others], true);
    const old = await leftBy(repo, lock);
    if (old) await writeFile(lock, lockText(note));
    else await create(lock, lockText(note));
    if (old) await rm(old, { force: true });
    return { takenOver: old !== undefined, forget };
  } catch (error) {
    await forget();
    if (isErrno(error, 'EEXIST')) return undefined;
    throw error;
  }
}

/** Makes a file that must not exist. If it cannot be written (a full disk), it is removed: without its text nobody knows whose it is. */
async function create(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx');
  try {
    await file.writeFile(text);
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

/** The text of a lock file of ours: it names the note, so that nobody else's lock is ever taken for ours. */
const lockText = (note: string) => `furrow ${basename(note)}\n`;

/** True if a dead daemon of ours left this lock. */
export const isLeftByUs = async (repo: Repo, lock: string): Promise<boolean> => (await leftBy(repo, lock)) !== undefined;

/** The note of a dead owner whose lock this file still is. */
async function leftBy(repo: Repo, lock: string): Promise<string | undefined> {
  const text = await readIfThere(lock);
  if (!text?.startsWith('furrow ')) return undefined;
  return (await abandoned(repo)).find((note) => text === lockText(note));
}

async function begin(repo: Repo): Promise<string> {
  const note = join(await ownFolder(repo), `locks-${process.pid}-${count++}`);
  active.add(note);
  return note;
}

async function write(note: string, locks: readonly string[], held = false): Promise<void> {
  const owner = identify(process.pid) ?? { pid: process.pid, start: '' };
  await writeFile(note, JSON.stringify({ owner, locks, held } satisfies Note));
}

/**
 * Clears the locks that killed gits of this daemon or an earlier one left. It lists one folder that is nearly always empty. Locks that we
 * took ourselves stay until `heldToo`: the branch may be ahead of the index, and a commit made at that moment would undo the landing.
 */
export async function clearOwnLocks(repo: Repo, heldToo = false): Promise<void> {
  for (const note of await abandoned(repo)) if (heldToo || !(await read(note))?.held) await settle(repo, note);
}

/** Notes of owners that are dead, or that no longer work on them. */
async function abandoned(repo: Repo): Promise<string[]> {
  const folder = await ownFolder(repo);
  const notes = (await readdir(folder)).filter((name) => name.startsWith('locks-')).map((name) => join(folder, name));
  const found = await Promise.all(
    notes.map(async (note) => {
      const owner = active.has(note) ? undefined : ((await read(note))?.owner ?? 'unknown');
      const gone = owner === 'unknown' || (owner && (owner.pid === process.pid || !isAlive(owner)));
      return gone ? [note] : [];
    }),
  );
  return found.flat();
}

async function settle(repo: Repo, file: string): Promise<void> {
  const note = await read(file);
  // By the file system's own clock, which may be a tick behind ours.
  const since = lstatSync(file, { throwIfNoEntry: false, bigint: true })?.mtimeNs ?? 0n;
  for (const lock of note?.locks ?? []) {
    const made = lstatSync(lock, { throwIfNoEntry: false, bigint: true })?.ctimeNs;
    if (made === undefined || made < since) continue;
    if (gitsIn(repo, placesOf(repo.root).dir) > 0) return;
    await discard(lock, placesOf(repo.root).trash, basename(lock)).catch(() => {});
  }
  await rm(file, { force: true });
}

async function read(file: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8')) as Note;
  } catch {
    return undefined;
  }
}
