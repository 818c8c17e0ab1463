import { resolve } from '../../platform/git/refs.ts';
import { type GitOptions, git, type Repo, tryGit } from '../../platform/git/run.ts';
import { shadowRef } from './shadow.ts';
import { headRef } from './target-refs.ts';

/**
 * The point where work parted from its target: the merge base with the shadow, if there is one, as for merges. Otherwise work that was
 * built on a squashed branch would show that branch's lines as its own.
 */
export async function sinceTarget(repo: Repo, target: string, commit: string, options: GitOptions = {}): Promise<string> {
  for (const ref of [shadowRef(target), headRef(target), `refs/heads/${target}`]) {
    const tip = await resolve(repo, ref);
    const base = tip && (await tryGit(repo, ['merge-base', '--end-of-options', tip, commit], options)).stdout.split('\n')[0];
    if (base) return base;
  }
  // Nothing in common: everything is new.
  return git(repo, ['hash-object', '-t', 'tree', '--stdin'], { input: '' });
}
