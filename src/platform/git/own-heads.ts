import { placesOf } from '../places.ts';
import { linkedWorktrees } from './admin.ts';
import { isBelow } from './holders.ts';
import type { RefValue } from './refs.ts';
import { ownRoots } from './repair.ts';
import type { Repo } from './run.ts';

/** The HEAD of a worktree of ours that is on no branch, by the name that every git understands. */
export interface OwnHead extends RefValue {
  readonly path: string;
  /** It is a check slot: it holds no work, and another commit is checked out before each check. */
  readonly slot: boolean;
}

export async function ownHeads(repo: Repo): Promise<OwnHead[]> {
  const [roots, { slots }] = [ownRoots(repo), placesOf(repo.root, repo.home)];
  return (await linkedWorktrees(repo)).flatMap(({ name, path, head }) => {
    if (!path || !roots.some((root) => isBelow(path, root)) || !/^[0-9a-f]{40,64}$/.test(head)) return [];
    return [{ ref: `worktrees/${name}/HEAD`, oid: head, path, slot: isBelow(path, slots) }];
  });
}
