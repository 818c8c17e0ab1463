import { join } from 'node:path';
import { readIfThere } from '../files.ts';

/** An unfinished operation of a worktree, and the full refs of the branches that it will move or check out when it ends. */
export interface Operation {
  readonly name: 'rebase' | 'bisect';
  readonly branches: readonly string[];
}

/**
 * Finds an operation that detaches HEAD and later returns to a branch. Git shows such a worktree as detached, but `rebase --continue` moves
 * the branch from its value at the start, and `--abort` puts it back there.
 */
export async function detachedOperation(gitDirOfWorktree: string): Promise<Operation | undefined> {
  const read = async (file: string) => (await readIfThere(join(gitDirOfWorktree, file)).catch(() => undefined))?.trim();
  const [merge, apply, others, bisect] = await Promise.all(
    ['rebase-merge/head-name', 'rebase-apply/head-name', 'rebase-merge/update-refs', 'BISECT_START'].map(read),
  );
  const rebased = [merge, apply, ...(others?.split('\n') ?? [])].flatMap((line) => (line?.startsWith('refs/') ? [line] : []));
  if (rebased.length > 0) return { name: 'rebase', branches: rebased };
  return bisect ? { name: 'bisect', branches: [bisect.startsWith('refs/') ? bisect : `refs/heads/${bisect}`] } : undefined;
}
