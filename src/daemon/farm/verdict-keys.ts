import { createHash } from 'node:crypto';
import { keptAnswers } from '../../platform/cache.ts';
import { type Abouts, aboutKey, type CheckSpec } from '../../queue/snapshot.ts';
import type { Farm } from './farm.ts';

type Place = Pick<Farm, 'repo' | 'git' | 'config'>;

/** For each of some trees, the content that verdicts of checks with `paths` are about. It runs no git when no check has paths. */
export async function aboutsOf(farm: Place, checks: readonly CheckSpec[], trees: readonly string[]): Promise<Abouts> {
  const found = new Map<string, string>();
  for (const check of checks) {
    for (const tree of check.paths ? trees.filter(Boolean) : []) {
      const about = await aboutIn(farm, check, tree);
      if (about) found.set(aboutKey(tree, check.id), about);
    }
  }
  return found;
}

/** All keys under which a verdict about a tree can be stored: the tree itself, and the content of checks with paths. */
export const namesOf = async (farm: Place, checks: readonly CheckSpec[], tree: string): Promise<string[]> => [
  tree,
  ...(await aboutsOf(farm, checks, [tree])).values(),
];

/**
 * The content that a check looks at in a tree: its paths, and what set-up installs for it (decided by lockfiles and the like). `undefined`:
 * it looks at the whole tree, or the tree cannot be read.
 */
export async function aboutIn(farm: Place, { paths }: CheckSpec, tree: string): Promise<string | undefined> {
  const content = paths && (await farm.git.contentOf(tree, paths));
  if (!content || farm.config.worktree.setup.length === 0) return content;
  const installed = await installedIn(farm, tree);
  return installed && `content-${createHash('sha256').update(content).update(installed).digest('hex').slice(0, 40)}`;
}

const kept = keptAnswers<string>(1000);

async function installedIn({ repo, git, config }: Place, tree: string): Promise<string | undefined> {
  const { setup, setup_files: more } = config.worktree;
  const key = JSON.stringify([repo.gitDir, tree, setup, more]);
  return kept(key, async () => JSON.stringify(await git.decidingFiles(tree, setup, more))).catch(() => undefined);
}
