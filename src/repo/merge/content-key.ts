import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { keptAnswers } from '../../platform/cache.ts';
import { readBlobs } from '../../platform/git/blobs.ts';
import { sharedAside } from '../../platform/git/own-object-store.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { matchesAny } from '../../platform/glob.ts';
import { isBelow } from '../../platform/places.ts';

/** A file of a tree: the fields that `ls-tree` prints for it, and its path. */
interface TreeFile {
  /** Mode, kind and object. */
  readonly what: string;
  readonly path: string;
  /** Its path in the tree, one character a byte: two names that are not UTF-8 may have the same `path`. */
  readonly bytes: string;
}

/** The version of the key: a new number makes all verdicts under earlier keys unknown. */
const FORMAT = 2;

const ATTRIBUTES = '.gitattributes';
/** The settings of git-lfs and of submodules; both files are at the top of a tree. */
const SETTINGS = ['.lfsconfig', '.gitmodules'];

/**
 * A key for the content that a check with `paths` looks at: a hash of the matching files, and of the files that decide which bytes git
 * writes for them. Trees with the same key are the same there, whatever else they hold. It never looks like the id of a tree. `undefined`:
 * a pattern matches nothing, so nobody knows what the check looks at.
 */
export function contentKey(files: readonly TreeFile[], paths: readonly string[]): string | undefined {
  const matched = matchedBy(files, paths);
  if (!matched) return undefined;
  const hash = createHash('sha256').update(`${FORMAT}\0`);
  for (const file of files) if (matched.has(file) || decides(file)) hash.update(`${file.what}\0${file.bytes}\0`, 'latin1');
  return `content-${hash.digest('hex').slice(0, 40)}`;
}

const decides = ({ path }: TreeFile) => posix.basename(path).toLowerCase() === ATTRIBUTES || SETTINGS.includes(path);

/** The files that the patterns match; `undefined` when one of them matches none. */
function matchedBy(files: readonly TreeFile[], paths: readonly string[]): ReadonlySet<TreeFile> | undefined {
  const found = paths.map((pattern) => files.filter(({ path }) => matcherOf(pattern)(path)));
  return found.every((some) => some.length > 0) ? new Set(found.flat()) : undefined;
}

const MATCHED = 200_000;
const matchers = new Map<string, (path: string) => boolean>();

/** Remembers matches: the same patterns come with every tree, and a glob costs 20 µs. */
function matcherOf(pattern: string): (path: string) => boolean {
  const known = matchers.get(pattern);
  if (known) return known;
  const seen = new Map<string, boolean>();
  const folder = /^[^*?[\]{}!()\\]+\/\*\*$/.test(pattern) ? pattern.slice(0, -2) : undefined;
  const made = (path: string): boolean => {
    if (folder !== undefined && path.startsWith(folder)) return true;
    const before = seen.get(path);
    if (before !== undefined) return before;
    if (seen.size > MATCHED) seen.clear();
    const is = matchesAny(path, [pattern]);
    seen.set(path, is);
    return is;
  };
  matchers.set(pattern, made);
  return made;
}

const kept = keptAnswers<string | undefined>(5000);

/**
 * The key for a tree of a repository. None for a tree that is gone, and none when a link among these files leads to other files, because
 * those matter too. A check without a key looks at the whole tree.
 */
export async function contentOf(repo: Repo, tree: string, paths: readonly string[]): Promise<string | undefined> {
  const key = JSON.stringify([repo.gitDir, tree, paths]);
  return kept(key, async () => {
    const files = await filesOf(repo, tree, paths);
    return (await linksStay(repo, tree, files, paths)) ? contentKey(files, paths) : undefined;
  }).catch(() => undefined);
}

async function filesOf(repo: Repo, tree: string, paths: readonly string[]): Promise<TreeFile[]> {
  const folders = [...new Set(paths.map(literalPart))];
  const under = folders.includes('') ? [] : ['--', ...new Set([...folders, ...folders.flatMap(attributesAbove), ...SETTINGS])];
  const out = await git(repo, ['ls-tree', '-r', '-z', '--full-tree', tree, ...under], { encoding: 'latin1' });
  return out
    .split('\0')
    .filter(Boolean)
    .map((row) => {
      const tab = row.indexOf('\t');
      const bytes = row.slice(tab + 1);
      return { what: row.slice(0, tab), path: Buffer.from(bytes, 'latin1').toString('utf8'), bytes };
    });
}

/** The attribute files above a folder, which apply to its content. */
function attributesAbove(folder: string): string[] {
  const names = folder.split('/');
  return names.map((_, n) => [...names.slice(0, n), ATTRIBUTES].join('/'));
}

/** The folders, or the whole path, that a pattern begins with: git need not list anything else. */
function literalPart(pattern: string): string {
  const parts = pattern.replace(/\/+$/, '').split('/');
  const glob = parts.findIndex((part) => /[*?[\]{}!()\\+@]/.test(part));
  return (glob === -1 ? parts : parts.slice(0, glob)).join('/');
}

/** True when every link among the files that match leads to files that match as well. */
async function linksStay(repo: Repo, tree: string, files: readonly TreeFile[], paths: readonly string[]): Promise<boolean> {
  const matched = matchedBy(files, paths) ?? new Set();
  const links = [...matched].filter(({ what }) => what.startsWith('120000 '));
  if (links.length === 0) return true;
  const folders = paths.map(literalPart);
  const oids = links.map(({ what }) => what.split(' ')[2]!);
  const targets = await readBlobs(repo, await sharedAside(repo, tree), oids);
  return links.every(({ path }, n) => {
    const to = placeOf(path, targets[n]?.toString('utf8') ?? '/');
    // Above these folders not everything is listed.
    if (to === undefined || !folders.some((folder) => folder === '' || isBelow(to, folder))) return false;
    const there = files.filter((one) => isBelow(one.path, to));
    return there.length > 0 && there.every((one) => matched.has(one));
  });
}

/** The path that a link leads to; none for a `..` that may leave a linked folder. */
function placeOf(link: string, target: string): string | undefined {
  const odd = target.startsWith('/') || /(^|\/)(?!\.{1,2}\/)[^/]+\/+(\.\/+)*\.\.(\/|$)/.test(target);
  return odd ? undefined : posix.join(posix.dirname(link), target).replace(/\/$/, '');
}
