import { createHash } from 'node:crypto';
import { keptAnswers } from '../platform/cache.ts';
import { git, type Repo } from '../platform/git/run.ts';
import { matchesAny } from '../platform/glob.ts';

/** A file of a tree: the fields that `ls-tree` prints for it, and its path. */
export interface TreeFile {
  /** Mode, kind and object. */
  readonly what: string;
  readonly path: string;
}

/**
 * Names what a check with `paths` looks at in a tree: a hash over the files that match. Two trees with the same files there have
 * the same name, whatever else they hold. It cannot be taken for the id of a tree.
 */
export function contentKey(files: readonly TreeFile[], paths: readonly string[]): string {
  const matches = matcherOf(paths);
  const hash = createHash('sha256');
  for (const { what, path } of files) if (matches(path)) hash.update(`${what}\0${path}\0`);
  return `content-${hash.digest('hex').slice(0, 40)}`;
}

const MATCHED = 200_000;
const matchers = new Map<string, (path: string) => boolean>();

/** Remembers what matches: the same paths come with every tree, and a glob costs 20 µs. */
function matcherOf(paths: readonly string[]): (path: string) => boolean {
  const name = JSON.stringify(paths);
  const known = matchers.get(name);
  if (known) return known;
  const seen = new Map<string, boolean>();
  const folders = paths.filter((one) => /^[^*?[\]{}!()\\]+\/\*\*$/.test(one)).map((one) => one.slice(0, -2));
  const made = (path: string): boolean => {
    const before = seen.get(path);
    if (before !== undefined) return before;
    if (seen.size > MATCHED) seen.clear();
    const is = folders.some((folder) => path.startsWith(folder)) || matchesAny(path, paths);
    seen.set(path, is);
    return is;
  };
  matchers.set(name, made);
  return made;
}

const kept = keptAnswers<string>(5000);

/** The same for a tree of a repository. A tree that is gone has none. */
export async function contentOf(repo: Repo, tree: string, paths: readonly string[]): Promise<string | undefined> {
  const key = JSON.stringify([repo.gitDir, tree, paths]);
  return kept(key, async () => contentKey(await filesOf(repo, tree, paths), paths)).catch(() => undefined);
}

async function filesOf(repo: Repo, tree: string, paths: readonly string[]): Promise<TreeFile[]> {
  const folders = [...new Set(paths.map(literalPart))];
  const under = folders.includes('') ? [] : ['--', ...folders];
  const out = await git(repo, ['ls-tree', '-r', '-z', '--full-tree', tree, ...under], { encoding: 'latin1' });
  const rows = out.split('\0').filter(Boolean);
  return rows.map((row) => {
    const tab = row.indexOf('\t');
    return { what: row.slice(0, tab), path: Buffer.from(row.slice(tab + 1), 'latin1').toString('utf8') };
  });
}

/** The folders, or the whole path, that a pattern begins with: git need not list anything else. */
function literalPart(pattern: string): string {
  const parts = pattern.replace(/\/+$/, '').split('/');
  const glob = parts.findIndex((part) => /[*?[\]{}!()\\+@]/.test(part));
  return (glob === -1 ? parts : parts.slice(0, glob)).join('/');
}
