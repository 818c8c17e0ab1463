import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { bytePath, readIfThere, writeWhole } from '../../platform/files.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { copyCaches, storeCaches, storedCaches } from './cache-store.ts';
import type { Inside } from './slot-index.ts';

/** Decides whose caches a check may read. */
export interface CacheTrust {
  /** True for a tree that the target has had: caches that its code wrote are the target's own. */
  isLanded(tree: string): Promise<boolean>;
  /** `queue.share_caches`: every check reads the caches that the one before it left. */
  readonly shared: boolean;
}

export interface CacheOrder {
  /** Patterns of ignored files. */
  readonly patterns: readonly string[];
  /** The tree whose code is about to run. */
  readonly tree: string;
  readonly trust: CacheTrust;
}

/** The trust of a caller that knows no target: only the same tree may read what it wrote. */
export const OWN_TREE: CacheTrust = { isLanded: async () => false, shared: false };

const storeOf = (path: string) => join(dirname(dirname(path)), 'caches');
/** The file that names the tree whose code has written into the caches of a slot since they were last trusted. */
const writerOf = (path: string) => join(storeOf(path), 'slots', basename(path));

/** The caches that a check finds in its slot. */
interface Exchanged {
  /** They are the target's own, and newer than those that are stored. */
  readonly fresh: boolean;
  /**
   * Tracked paths (latin1) that differ from the tree whose caches were copied. The slot may have had such a file for longer than that tree was
   * built: a build by times of change (make, cargo, ninja) would then take what was made of the other tree's file for this one's.
   */
  readonly older: readonly string[];
}

const STAY: Exchanged = { fresh: false, older: [] };

/**
 * Keeps the caches of a slot where they cannot decide anything that the tree itself could not: this tree wrote them, or one that has landed
 * since. All others are replaced by the target's.
 */
export async function exchangeCaches(repo: Repo, inside: Inside, { patterns, tree, trust }: CacheOrder): Promise<Exchanged> {
  if (trust.shared) return STAY;
  const writer = await readIfThere(writerOf(inside.cwd));
  if (writer !== undefined && writer !== tree && (await trust.isLanded(writer))) return { fresh: true, older: [] };
  if (writer === tree) return STAY;
  await forgetWriter(inside.cwd);
  for (const path of await cachesIn(repo, inside, patterns)) await rm(bytePath(inside.cwd, path), { recursive: true, force: true });
  const store = storeOf(inside.cwd);
  const stored = await storedCaches(store);
  const same = stored && JSON.stringify(stored.patterns) === JSON.stringify(patterns);
  if (!same || !(await trust.isLanded(stored.tree))) return STAY;
  const older = await changedPaths(repo, stored.tree, tree);
  await copyCaches(store, stored, inside.cwd);
  return { fresh: false, older };
}

async function changedPaths(repo: Repo, from: string, to: string): Promise<string[]> {
  const words = ['diff-tree', '-r', '-z', '--name-only', '--no-renames', '--no-ext-diff', '--no-textconv', '--end-of-options', from, to];
  return (await git(repo, words, { encoding: 'latin1' })).split('\0').filter(Boolean);
}

/** Stores the caches of a slot as those of the target, before a check can write to them. */
export async function keepCaches(repo: Repo, inside: Inside, { patterns }: CacheOrder): Promise<void> {
  const tree = (await readIfThere(writerOf(inside.cwd)))!;
  const names = (await cachesIn(repo, inside, patterns)).map((path) => Buffer.from(path, 'latin1').toString('utf8'));
  const paths = names.filter((path) => !path.includes('\ufffd'));
  // Without them the next check is slower, but just as right.
  await storeCaches(storeOf(inside.cwd), inside.cwd, { tree, patterns, paths }).catch(() => {});
}

/** Notes whose code writes into the caches from now on, before it runs. For shared caches nobody can tell who wrote them. */
export async function noteWriter(path: string, caches: CacheOrder | undefined): Promise<void> {
  if (!caches || caches.trust.shared) return forgetWriter(path);
  await mkdir(dirname(writerOf(path)), { recursive: true, mode: 0o700 });
  await writeWhole(writerOf(path), caches.tree);
}

/** Forgets who wrote the caches of a slot, so they are removed before the next check. */
export const forgetWriter = (path: string): Promise<void> => rm(writerOf(path), { force: true });

/** Untracked paths (latin1) of a slot that the patterns name, a folder as one path. */
async function cachesIn(repo: Repo, inside: Inside, patterns: readonly string[]): Promise<string[]> {
  const look = ['ls-files', '--others', '--ignored', '--directory', '-z', ...patterns.flatMap((one) => ['-x', one])];
  return (await git(repo, look, { ...inside, encoding: 'latin1' }))
    .split('\0')
    .filter(Boolean)
    .map((path) => path.replace(/\/$/, ''));
}
