import { lstatSync } from 'node:fs';
import { open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { isErrno } from '../error.ts';
import type { Finished } from '../exec.ts';
import { placesOf } from '../places.ts';
import { identify, isAlive, type ProcessId } from '../process/identity.ts';
import { gitsIn } from './holders.ts';
import { ownFolder } from './mutex.ts';
import { type GitOptions, type Repo, runGit } from './run.ts';
import { discard } from './trash.ts';

/** Written before a git of ours takes locks; gone when it has ended by itself, which takes them away. */
interface Note {
  readonly owner: ProcessId;
  readonly locks: readonly string[];
}

let count = 0;
/** Notes whose git is at work in this process: only whoever wrote one may settle it. */
const active = new Set<string>();

/**
 * Runs a git of ours that takes these lock files. Killed, it leaves them (50 of 76 kills of a commit did), and every
 * later try fails on them, the user's own too. The note proves whose they are, also to the next daemon: of a git that
 * did not end by itself, made after the note, with no git alive that could hold them. Those go to the trash.
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

/**
 * Takes a lock file ourselves, so that several gits of ours can work behind it; `others` are those they may leave when killed.
 * Whoever has done away with the lock calls what it hands back. `undefined`: somebody else has it.
 */
export async function takeLock(repo: Repo, lock: string, others: readonly string[]): Promise<(() => Promise<void>) | undefined> {
  const note = await begin(repo);
  const forget = async () => {
    await rm(note, { force: true });
    active.delete(note);
  };
  try {
    await write(note, [lock, ...others]);
    await (await open(lock, 'wx')).close();
    return forget;
  } catch (error) {
    await forget();
    if (isErrno(error, 'EEXIST')) return undefined;
    throw error;
  }
}

async function begin(repo: Repo): Promise<string> {
  const note = join(await ownFolder(repo), `locks-${process.pid}-${count++}`);
  active.add(note);
  return note;
}

async function write(note: string, locks: readonly string[]): Promise<void> {
  const owner = identify(process.pid) ?? { pid: process.pid, start: '' };
  await writeFile(note, JSON.stringify({ owner, locks } satisfies Note));
}

/** Clears what killed gits of ours left, in this daemon or in one before. Costs one listing of a folder that is nearly always empty. */
export async function clearOwnLocks(repo: Repo): Promise<void> {
  const folder = await ownFolder(repo);
  for (const name of await readdir(folder)) {
    const note = join(folder, name);
    if (!name.startsWith('locks-') || active.has(note)) continue;
    const owner = (await read(note))?.owner;
    if (!owner || owner.pid === process.pid || !isAlive(owner)) await settle(repo, note);
  }
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
