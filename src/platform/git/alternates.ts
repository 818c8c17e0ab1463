import { constants, readdirSync, realpathSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { readSmall } from '../files.ts';
import { isBelow } from '../places.ts';

/** A store of objects outside the git folder that git reads as part of the repository. */
interface Borrowed {
  /** As the repository names it. */
  readonly path: string;
  /** The resolved path; undefined when nothing is there, and git then does without it. */
  readonly real: string | undefined;
  /** It has the shape of an object store, and nothing else is in it. */
  readonly store: boolean;
}

/** As deep as git follows them. */
const DEEPEST = 5;

/** All that git itself puts into a folder of objects. */
const NAMES = /^(?:[0-9a-f]{2}|info|pack|(?:tmp_|incoming-|bulk-).*|(?:maintenance|schedule)\.lock)$/;

/**
 * The object stores that a repository borrows from: named in `objects/info/alternates`, named by those stores in turn, or because `objects`
 * is a link. The repository names them, so each may be any folder of the person's.
 */
export function borrowedStores(gitDir: string): Borrowed[] {
  const objects = join(gitDir, 'objects');
  const found = new Map<string, Borrowed>();
  const here = realOf(objects);
  if (here !== undefined && !isBelow(here, realOf(gitDir) ?? gitDir)) found.set(objects, borrowed(objects));
  follow(objects, DEEPEST, found);
  return [...found.values()];
}

function follow(objects: string, depth: number, found: Map<string, Borrowed>): void {
  if (depth < 0) return;
  const lines = (readSmall(join(objects, 'info', 'alternates'), constants.O_NOFOLLOW) ?? '')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  for (const line of lines) {
    const path = resolve(objects, unquoted(line));
    if (found.has(path)) continue;
    const one = borrowed(path);
    found.set(path, one);
    if (one.store) follow(path, depth - 1, found);
  }
}

const QUOTED = /^"((?:[^"\\]|\\.)*)"$/;
const MARKS: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** A name in quotes, as git writes one with unusual characters. */
function unquoted(line: string): string {
  const inner = QUOTED.exec(line)?.[1];
  if (inner === undefined) return line;
  const bytes = inner.replace(/\\([0-7]{3}|.)/g, (_all, mark: string) =>
    mark.length === 3 ? String.fromCharCode(Number.parseInt(mark, 8)) : (MARKS[mark] ?? mark),
  );
  return Buffer.from(bytes, 'latin1').toString();
}

const borrowed = (path: string): Borrowed => {
  const real = realOf(path);
  return { path, real, store: real !== undefined && isStore(real) };
};

/** False also for a folder that cannot be read. */
function isStore(folder: string): boolean {
  const names = quietly(() => readdirSync(folder, { withFileTypes: true })) ?? [];
  return names.every(({ name }) => NAMES.test(name)) && names.some((one) => /^(?:pack|[0-9a-f]{2})$/.test(one.name) && one.isDirectory());
}

const realOf = (path: string) => quietly(() => realpathSync.native(path));

function quietly<T>(look: () => T): T | undefined {
  try {
    return look();
  } catch {
    return undefined;
  }
}
