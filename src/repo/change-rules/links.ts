import { posix } from 'node:path';
import { git, type Repo } from '../../platform/git/run.ts';
import { contents } from '../merge/changes.ts';
import { LINK } from '../merge/file-modes.ts';
import { AGENT_FILES, RUNS_ELSEWHERE } from './defaults.ts';
import type { ProtectRules } from './protected.ts';
import { DEEPEST, type ProtectedLink } from './protected.ts';

/** The links at guarded paths in a tree: the file behind one can be changed under another name. One git when there are none. */
export async function protectedLinks(
  repo: Repo,
  tree: string,
  rules: ProtectRules,
  approve: readonly string[] = [],
): Promise<ProtectedLink[]> {
  const patterns = ['furrow.yaml', ...AGENT_FILES, ...RUNS_ELSEWHERE, ...rules.protect, ...rules.checks, ...approve];
  const found: ProtectedLink[] = [];
  let names = [...new Set([...patterns.flatMap(placesOf), ...(rules.board ? placesOf(rules.board) : [])])];
  for (let deep = 0; deep < DEEPEST && names.length > 0; deep++) {
    const links = await linksAt(repo, tree, names);
    found.push(...links);
    names = links.map(({ to }) => to);
  }
  return found;
}

/** The path of a pattern up to its first wildcard, and the folders above it. */
function placesOf(pattern: string): string[] {
  const plain = pattern.replace(/^\*\*\//, '').replace(/\/?[^/]*[*?[{].*$/, '');
  const parts = plain.split('/').filter(Boolean);
  return parts.map((_, at) => parts.slice(0, at + 1).join('/'));
}

async function linksAt(repo: Repo, tree: string, names: readonly string[]): Promise<ProtectedLink[]> {
  const out = await git(repo, ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', tree, '--', ...names]);
  const links = out.split('\0').flatMap((line) => {
    const [, mode, oid, path] = /^(\d+) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    return mode === LINK && oid && path ? [{ oid, path }] : [];
  });
  if (links.length === 0) return [];
  const texts = await contents(
    repo,
    links.map(({ oid }) => oid),
  );
  return links.flatMap(({ path }, at) => {
    const to = posix.normalize(posix.join(posix.dirname(path), Buffer.from(texts[at]!, 'latin1').toString('utf8')));
    return to.startsWith('..') || posix.isAbsolute(texts[at]!) ? [] : [{ link: path, to: to.replace(/\/$/, '') }];
  });
}
