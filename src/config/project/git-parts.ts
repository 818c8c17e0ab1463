import type { ProjectFacts } from './facts.ts';
import type { Remark } from './proposal.ts';

/** furrow fills submodules of worktrees and checks from the person's clone. */
export function submodules(facts: ProjectFacts): Remark[] {
  const count = facts.modules.length;
  if (count === 0) return [];
  const named = facts.modules.slice(0, 3).join(', ') + (count > 3 ? ` and ${count - 3} more` : '');
  if (facts.read('.gitmodules') === undefined)
    return [{ text: `${named}: git tracks a commit of another repository there and no .gitmodules says which`, next: null }];
  const text = `${count === 1 ? 'a submodule' : 'submodules'}: ${named}; worktrees and checks get what your clone has of ${count === 1 ? 'it' : 'them'}`;
  return [{ text, next: 'git submodule update --init --recursive' }];
}

export const usesLfs = (facts: ProjectFacts): boolean =>
  facts.paths.some((path) => /(^|\/)\.gitattributes$/.test(path) && /\bfilter=lfs\b/.test(facts.read(path) ?? ''));

/** furrow fills large files from .git/lfs by itself; only the download is git-lfs's. */
export function largeFiles(facts: ProjectFacts): Remark[] {
  if (!usesLfs(facts)) return [];
  const text = 'large files are in git-lfs: worktrees and checks get those whose content is in .git/lfs, and pointers for the rest';
  return [{ text, next: facts.onPath('git-lfs') ? 'git lfs fetch' : 'install git-lfs, then: git lfs fetch' }];
}
