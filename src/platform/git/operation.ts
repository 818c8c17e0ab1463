import { join } from 'node:path';
import { readIfThere } from '../files.ts';

/** A half-done operation of a worktree, and the branches that its end will move or check out, as full refs. */
export interface Operation {
  readonly name: 'rebase' | 'bisect';
  readonly branches: readonly string[];
}

/**
 * The operations that detach HEAD and come back to a branch: git shows such a worktree as detached, yet `rebase --continue`
 * moves the branch from the value it had at the start, and `--abort` puts it back there.
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
