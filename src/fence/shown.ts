import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { isBelow } from '../platform/git/holders.ts';
import type { Mount } from './arguments.ts';

export const isIn = (path: string, folders: readonly string[]): boolean => folders.some((folder) => isBelow(path, folder));

/** The path without links; undefined when nothing is there. */
export async function real(path: string | undefined): Promise<string | undefined> {
  return path?.startsWith('/') ? realpath(path).catch(() => undefined) : undefined;
}

/** Paths as they are named and, where a link leads elsewhere, at the place that it leads to. */
export async function shown(paths: readonly string[]): Promise<Mount[]> {
  const mounts = await Promise.all(
    paths.map(async (path): Promise<Mount[]> => {
      const [from, parent] = await Promise.all([real(path), real(dirname(path))]);
      if (from === undefined || parent === undefined) return [];
      const to = join(parent, basename(path));
      return to === from ? [{ from }] : [{ from }, { from, to }];
    }),
  );
  return mounts.flat();
}
