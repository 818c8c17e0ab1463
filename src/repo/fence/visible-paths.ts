import { realpathSync, statSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isBelow } from '../../platform/places.ts';
import type { Mount } from './bwrap.ts';

export const isIn = (path: string, folders: readonly string[]): boolean => folders.some((folder) => isBelow(path, folder));

/** The path without links; undefined when nothing is there. Synchronous: a start asks for some 200 of them. */
export function real(path: string | undefined): string | undefined {
  if (!path?.startsWith('/')) return undefined;
  try {
    return realpathSync.native(path);
  } catch {
    return undefined;
  }
}

/** Mounts for paths: at their names and, for a link, also at its destination. */
export function shown(paths: readonly string[]): Mount[] {
  return paths.flatMap((path): Mount[] => {
    const [from, parent] = [real(path), real(dirname(path))];
    if (from === undefined || parent === undefined) return [];
    const to = join(parent, basename(path));
    return to === from ? [{ from }] : [{ from }, { from, to }];
  });
}

/** A word of a shell that is a whole path, or the value after an `=`; not a path that the line writes to. */
const PATH = /(?<!>[>|]?\s*["']?)(?:^|[\s"'=;|&(<])(~?\/[^\s"';|&()<>]+)/g;
/** A part that the shell fills in, so the path is not known here. */
const FILLED_IN = /[$`*?[{]/;

/** The paths that command lines name in full: a person who trusts `sh /opt/agent.sh` expects that file to be there. `~` is the home. */
export function namedPaths(lines: readonly string[]): string[] {
  return [...new Set(lines.flatMap((line) => [...line.matchAll(PATH)].map((match) => match[1]!)))].filter((path) => !FILLED_IN.test(path));
}

/** Plain files that command lines name in full, also below `$HOME`. */
export const filesNamedIn = (lines: readonly string[], home: string): string[] =>
  namedPaths(lines.map((line) => line.replace(/\$(?:HOME|\{HOME\})(?=\/)/g, '~')))
    .map((path) => path.replace(/^~(?=\/)/, home))
    .filter((path) => statSync(path, { throwIfNoEntry: false })?.isFile() === true);
