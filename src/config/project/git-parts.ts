import type { ProjectFacts } from './facts.ts';
import type { Remark, Step } from './proposal.ts';

/** Submodules are not in a new worktree: the set-up gets them before anything else. */
export function submodules(facts: ProjectFacts): { setup: Step[]; remarks: Remark[] } {
  const count = facts.modules.length;
  if (count === 0) return { setup: [], remarks: [] };
  const named = facts.modules.slice(0, 3).join(', ') + (count > 3 ? ` and ${count - 3} more` : '');
  if (facts.read('.gitmodules') === undefined) {
    const text = `${named}: git tracks a commit of another repository there and no .gitmodules says which`;
    return { setup: [], remarks: [{ text, next: null }] };
  }
  return {
    setup: [{ run: 'git submodule update --init --recursive', because: `${count === 1 ? 'a submodule' : 'submodules'}: ${named}` }],
    remarks: [],
  };
}

export const usesLfs = (facts: ProjectFacts): boolean =>
  facts.paths.some((path) => /(^|\/)\.gitattributes$/.test(path) && /\bfilter=lfs\b/.test(facts.read(path) ?? ''));

/** furrow fills large files from .git/lfs by itself; only the download is git-lfs's. */
export function largeFiles(facts: ProjectFacts): Remark[] {
  if (!usesLfs(facts)) return [];
  const text = 'large files are in git-lfs: worktrees and checks get those whose content is in .git/lfs, and pointers for the rest';
  return [{ text, next: facts.onPath('git-lfs') ? 'git lfs fetch' : 'install git-lfs, then: git lfs fetch' }];
}
