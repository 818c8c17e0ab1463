import { mkdir, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { bytePath, readIfThere, writeWhole } from '../../platform/files.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { copyCaches, storeCaches, storedCaches } from './cache-store.ts';
import type { Inside } from './slot-index.ts';

/** Says whose caches a check may read. */
export interface CacheTrust {
  /** True for a tree that the target has had: what its code wrote is the target's own. */
  isLanded(tree: string): Promise<boolean>;
  /** `queue.share_caches`: every check reads what the one before it left. */
  readonly shared: boolean;
}

export interface CacheOrder {
  /** Patterns of ignored files. */
  readonly patterns: readonly string[];
  /** The tree whose code is about to run. */
  readonly tree: string;
  readonly trust: CacheTrust;
}

/** The trust of whoever knows nothing of a target: only the same tree may read what it wrote. */
export const OWN_TREE: CacheTrust = { isLanded: async () => false, shared: false };

const storeOf = (path: string) => join(dirname(dirname(path)), 'caches');
/** The tree whose code has written into the caches of a slot since they were last trusted. */
const writerOf = (path: string) => join(storeOf(path), 'slots', basename(path));

/**
 * Lets the caches of a slot stay where they decide nothing that the tree itself could not decide: written by this tree, or by one that
 * has landed since. All others go, and the target's take their place. Answers whether those in the slot are the target's own, and newer.
 */
export async function exchangeCaches(repo: Repo, inside: Inside, { patterns, tree, trust }: CacheOrder): Promise<boolean> {
  if (trust.shared) return false;
  const writer = await readIfThere(writerOf(inside.cwd));
  if (writer !== undefined && writer !== tree && (await trust.isLanded(writer))) return true;
  if (writer === tree) return false;
  await forgetWriter(inside.cwd);
  for (const path of await cachesIn(repo, inside, patterns)) await rm(bytePath(inside.cwd, path), { recursive: true, force: true });
  const store = storeOf(inside.cwd);
  const stored = await storedCaches(store);
  const same = stored && JSON.stringify(stored.patterns) === JSON.stringify(patterns);
  if (same && (await trust.isLanded(stored.tree))) await copyCaches(store, stored, inside.cwd);
  return false;
}

/** Keeps the caches of a slot as those of the target; called before a check can write to them. */
export async function keepCaches(repo: Repo, inside: Inside, { patterns }: CacheOrder): Promise<void> {
  const tree = (await readIfThere(writerOf(inside.cwd)))!;
  const names = (await cachesIn(repo, inside, patterns)).map((path) => Buffer.from(path, 'latin1').toString('utf8'));
  const paths = names.filter((path) => !path.includes('\ufffd'));
  // Without it the next check is slower, and no less right.
  await storeCaches(storeOf(inside.cwd), inside.cwd, { tree, patterns, paths }).catch(() => {});
}

/** Notes whose code writes into the caches from now on, before any of it runs. Of caches that are shared nobody can say who wrote them. */
export async function noteWriter(path: string, caches: CacheOrder | undefined): Promise<void> {
  if (!caches || caches.trust.shared) return forgetWriter(path);
  await mkdir(dirname(writerOf(path)), { recursive: true, mode: 0o700 });
  await writeWhole(writerOf(path), caches.tree);
}

/** Nobody is known to have written what is in a slot's caches, so it goes before the next check. */
export const forgetWriter = (path: string): Promise<void> => rm(writerOf(path), { force: true });

/** Paths (latin1) of a slot that the patterns name and git does not track, folders as one. */
async function cachesIn(repo: Repo, inside: Inside, patterns: readonly string[]): Promise<string[]> {
  const look = ['ls-files', '--others', '--ignored', '--directory', '-z', ...patterns.flatMap((one) => ['-x', one])];
  return (await git(repo, look, { ...inside, encoding: 'latin1' }))
    .split('\0')
    .filter(Boolean)
    .map((path) => path.replace(/\/$/, ''));
}
