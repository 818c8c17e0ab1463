import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { writeWhole } from './files.ts';
import { ownFolder } from './git/mutex.ts';
import type { Repo } from './git/run.ts';
import { placesOf } from './places.ts';

/**
 * The farm's identity. It is kept in the git folder, which `git clean` does not reach, and so outlives the store: a farm
 * that lost its store still finds its worktrees and its processes.
 */
export interface FarmFile {
  /** Eight hex digits: part of every process marker, of the tmux session's name, and of the mark in `home`. */
  readonly id: string;
  /** The git folder that this file was written for, by path, device and inode. A moved or copied repository has another path. */
  readonly gitDir: string;
  readonly inode: string;
  /** The git folder of a copy that is only read: its store was made elsewhere, and no person has decided about it yet. */
  readonly read?: string;
  /** The main checkout at that time. */
  readonly root?: string;
  /** The folder with the worktrees and slots. */
  readonly home?: string;
  /** The host, database and schema of a store on PostgreSQL, for people; without it the store is a file. */
  readonly postgres?: string;
  /** A daemon saw commits of the store disappear; the next one asks a person. */
  readonly wentBack?: boolean;
  /** The store was lost, and the one that is there now has not been filled from refs and trailers yet. */
  readonly lost?: boolean;
  /** The former home, while its worktrees move to this one. */
  readonly leaving?: string;
  /** `worktree.root` as it was when `home` was chosen. */
  readonly asked?: string | null;
}

/** `same`: nothing happened. `moved`: the same repository at another path. `copied`: another repository; the original still exists. */
export type Fate = 'new' | 'same' | 'moved' | 'copied';

/** Decides what became of the repository since its file was written. `original`: a farm of the same id is still at the old path. */
export function fateOf(stored: FarmFile | undefined, here: { gitDir: string; inode: string }, original: boolean): Fate {
  if (!stored) return 'new';
  if (stored.gitDir === here.gitDir) return 'same';
  if (stored.inode === here.inode) return 'moved';
  return original ? 'copied' : 'moved';
}

export interface Identity {
  readonly file: FarmFile;
  readonly fate: Fate;
  /** As it was before this start. */
  readonly before: FarmFile | undefined;
}

/** Reads the farm's identity. It writes nothing: the caller writes the file when all that depends on it is done. */
export function identityOf(repo: Repo): Identity {
  const before = readFarmFile(repo.gitDir);
  const here = { root: repo.root, gitDir: repo.gitDir, inode: inodeOf(repo.gitDir) };
  const original = before && before.gitDir !== here.gitDir ? readFarmFile(before.gitDir) : undefined;
  const fate = fateOf(before, here, original?.id === before?.id);
  // The store on PostgreSQL stays with the original, so a copy begins with none.
  if (!before || fate === 'copied') return { file: { ...here, id: newId(repo, fate) }, fate, before };
  const { read: _, ...known } = before;
  return { file: { ...known, ...here }, fate, before };
}

/** A new id. A farm from before this file existed keeps the hash of its path, which its store and processes carry. */
function newId(repo: Repo, fate: Fate): string {
  const earlier = fate === 'new' && existsSync(placesOf(repo.root).store);
  return earlier ? createHash('sha256').update(repo.root).digest('hex').slice(0, 8) : randomBytes(4).toString('hex');
}

export async function writeFarmFile(repo: Repo, file: FarmFile): Promise<void> {
  await writeWhole(join(await ownFolder(repo), 'farm.json'), `${JSON.stringify(file)}\n`);
}

/** Notes that the new store is filled, so that the lost one is not rebuilt again. */
export async function forgetLoss(repo: Repo): Promise<void> {
  const { lost: _, ...file } = identityOf(repo).file;
  await writeFarmFile(repo, file);
}

/** The farm's id, for a process that has no daemon to ask. */
export const farmIdOf = (gitDir: string): string | undefined => readFarmFile(gitDir)?.id;

export function readFarmFile(gitDir: string): FarmFile | undefined {
  try {
    const file = JSON.parse(readFileSync(join(gitDir, 'furrow.run', 'farm.json'), 'utf8')) as FarmFile;
    return /^[0-9a-f]{8}$/.test(file.id) && typeof file.gitDir === 'string' ? file : undefined;
  } catch {
    return undefined;
  }
}

function inodeOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true });
  return `${dev}:${ino}`;
}
