import { lstat, mkdir, realpath, rename } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { copyTree } from '../../platform/copy.ts';
import { readIfThere, writeWhole } from '../../platform/files.ts';
import { remove } from '../../platform/git/trash.ts';
import { limiter } from '../../platform/limit.ts';
import { isBelow } from '../../platform/places.ts';

/** The caches of the target: a check that ran on a tree which then landed left them. Checks get copies. */
interface StoredCaches {
  readonly tree: string;
  /** `queue.caches` of that time. */
  readonly patterns: readonly string[];
  readonly paths: readonly string[];
  readonly at: number;
  /** The time that copying took. */
  readonly ms: number;
}

/** Copying takes a twentieth of the time at most: without shared blocks a large cache is renewed less often. */
const SHARE = 20;

const filesIn = (store: string) => join(store, 'trusted');
const descriptionIn = (store: string) => join(store, 'trusted.json');

const writers = new Map<string, ReturnType<typeof limiter>>();

/** Runs one work at a time in a store, so that nobody copies a cache that is being replaced. */
function alone<T>(store: string, work: () => Promise<T>): Promise<T> {
  const known = writers.get(store) ?? limiter(1);
  writers.set(store, known);
  return known(work);
}

export async function storedCaches(store: string): Promise<StoredCaches | undefined> {
  const text = await readIfThere(descriptionIn(store));
  return text === undefined ? undefined : (JSON.parse(text) as StoredCaches);
}

/** Makes the caches of a slot those of the target, unless that was done too recently for its cost. */
export async function storeCaches(store: string, root: string, now: Pick<StoredCaches, 'tree' | 'patterns' | 'paths'>): Promise<void> {
  return alone(store, async () => {
    const before = await storedCaches(store);
    const same = before && JSON.stringify(before.patterns) === JSON.stringify(now.patterns);
    if (same && (before.tree === now.tree || Date.now() - before.at < SHARE * before.ms)) return;
    const started = performance.now();
    const making = join(store, 'making');
    await remove(making);
    for (const path of now.paths) {
      await mkdir(dirname(join(making, path)), { recursive: true, mode: 0o700 });
      await copyTree(join(root, path), join(making, path));
    }
    await mkdir(making, { recursive: true, mode: 0o700 });
    // If killed in between, there is no description and so no cache: the next check starts without one.
    await remove(descriptionIn(store));
    await remove(filesIn(store));
    await rename(making, filesIn(store));
    const stored: StoredCaches = { ...now, at: Date.now(), ms: Math.round(performance.now() - started) };
    await writeWhole(descriptionIn(store), JSON.stringify(stored));
  });
}

/** Copies the target's caches into a slot that has none. It does not touch tracked paths or paths behind a link. */
export async function copyCaches(store: string, { paths }: StoredCaches, root: string): Promise<void> {
  const place = await realpath(root);
  await alone(store, async () => {
    for (const path of paths) {
      const to = join(place, path);
      const parent = await realpath(dirname(to)).catch(() => undefined);
      if (parent === undefined || !isBelow(parent, place) || (await lstat(to).catch(() => undefined))) continue;
      await copyTree(join(filesIn(store), path), to);
    }
  });
}
