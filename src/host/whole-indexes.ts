import { agentsOf } from '../agent/store.ts';
import { append } from '../journal/event.ts';
import { resolve } from '../platform/git/refs.ts';
import { type MendedIndex, mendIndexes } from '../platform/git/torn-index.ts';
import type { Host } from './host.ts';

/** Mends the indexes of our worktrees after a clean-up of git's store, and tells of it. True: one is left as it is for now. */
export async function mendOwnIndexes({ repo, db, clock, target }: Pick<Host, 'repo' | 'db' | 'clock' | 'target'>): Promise<boolean> {
  const busy = new Set((await agentsOf(db)).flatMap(({ attempt, worktree }) => (attempt === null ? [] : [worktree])));
  const at = await resolve(repo, `refs/heads/${target}`);
  const { mended, left } = await mendIndexes(repo, at ? [at] : [], (path) => busy.has(path));
  if (mended.length > 0)
    await db.transaction().execute(async (tx) => {
      for (const one of mended) await append(tx, { kind: 'index.mended', text: textOf(one), data: { ...one } }, clock.now());
    });
  return left.length > 0;
}

function textOf({ path, restored, unstaged }: MendedIndex): string {
  const files = (names: readonly string[]) => `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;
  return [
    `the index of ${path} named objects that a git gc or git prune took, and no longer does`,
    ...(restored.length > 0 ? [`stored again from its files: ${files(restored)}`] : []),
    ...(unstaged.length > 0 ? [`not staged any more, the files are as they were: ${files(unstaged)}`] : []),
  ].join('; ');
}
