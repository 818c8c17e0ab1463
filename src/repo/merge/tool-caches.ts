import { mkdir, readdir, rename } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { remove } from '../../platform/git/trash.ts';
import { copyCaches, storeCaches, storedCaches } from './cache-store.ts';
import type { CacheTrust } from './slot-caches.ts';

/**
 * Tools that keep verdicts or compiled parts outside of the checkout, and name them by content. In the home such a cache would be shared by the
 * checks of all branches: a pass of `go test` that one branch wrote there would count for another.
 */
const VARIABLES = {
  GOCACHE: 'go-build',
  GOLANGCI_LINT_CACHE: 'golangci-lint',
  CCACHE_DIR: 'ccache',
  MYPY_CACHE_DIR: 'mypy',
} as const;

/** ccache would keep 5 GB for each slot, and name files by the slot that they were compiled in. */
const CCACHE = { CCACHE_MAXSIZE: '1G', CCACHE_NOHASHDIR: '1' };

/** The variables by which the tools of a check in this slot find their caches. */
export function cacheVariables(slot: string, folder: string): Record<string, string> {
  const each = Object.entries(VARIABLES).map(([name, path]) => [name, join(folder, path)]);
  return { ...Object.fromEntries(each), ...CCACHE, CCACHE_BASEDIR: slot };
}

/**
 * The folder beside a slot in which the tools of this tree's check keep their caches. It has the name of the tree whose code writes there, and
 * the rule of `queue.caches`: what this tree wrote stays, and what one wrote that has landed since; all else gives way to a copy of the target's.
 */
export async function toolCaches(slot: string, tree: string, trust: CacheTrust): Promise<string> {
  const store = join(dirname(dirname(slot)), 'caches', 'tools');
  const place = join(store, 'slots', basename(slot));
  const folder = join(place, tree);
  const [writer, ...more] = await readdir(place).catch(() => []);
  if (writer === tree && more.length === 0) return folder;
  const landed = writer !== undefined && more.length === 0 && !trust.shared && (await trust.isLanded(writer));
  if (landed) await keep(store, join(place, writer), writer);
  if (landed || (trust.shared && writer !== undefined)) {
    await rename(join(place, writer), folder);
    return folder;
  }
  if (writer !== undefined) await remove(place);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const stored = trust.shared ? undefined : await storedCaches(store);
  if (stored && (await trust.isLanded(stored.tree))) await copyCaches(store, stored, folder);
  return folder;
}

/** Stores them as those of the target. Without them the next check is slower, but just as right. */
async function keep(store: string, folder: string, tree: string): Promise<void> {
  const paths = await readdir(folder);
  if (paths.length > 0) await storeCaches(store, folder, { tree, patterns: [], paths }).catch(() => {});
}
