import { agentsOf } from '../agent/store.ts';
import { append } from '../journal/event.ts';
import { resolve } from '../platform/git/refs.ts';
import { type MendedIndex, mendIndexes } from '../platform/git/torn-index.ts';
import { mendReflogs } from '../platform/git/torn-reflogs.ts';
import type { Host } from './host.ts';

/** Mends the reflogs and the indexes of our worktrees after a clean-up of git's store, and tells of it. True: an index is left as it is for now. */
export async function mendOwnFiles({ repo, db, clock, target }: Pick<Host, 'repo' | 'db' | 'clock' | 'target'>): Promise<boolean> {
  const at = await resolve(repo, `refs/heads/${target}`);
  const known = at ? [at] : [];
  const logs = await mendReflogs(repo, known);
  const busy = new Set((await agentsOf(db)).flatMap(({ attempt, worktree }) => (attempt === null ? [] : [worktree])));
  const { mended, left } = await mendIndexes(repo, known, (path) => busy.has(path));
  const text = `reflogs of furrow's named commits of which git no longer has all, and no longer do: ${some(logs)}`;
  const events = [
    ...(logs.length > 0 ? [{ kind: 'reflog.mended' as const, text, data: { refs: logs } }] : []),
    ...mended.map((one) => ({ kind: 'index.mended' as const, text: textOf(one), data: { ...one } })),
  ];
  if (events.length > 0)
    await db.transaction().execute(async (tx) => {
      for (const event of events) await append(tx, event, clock.now());
    });
  return left.length > 0;
}

const some = (names: readonly string[]) => `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;

function textOf({ path, restored, unstaged }: MendedIndex): string {
  return [
    `the index of ${path} named objects that a git gc or git prune took, and no longer does`,
    ...(restored.length > 0 ? [`stored again from its files: ${some(restored)}`] : []),
    ...(unstaged.length > 0 ? [`not staged any more, the files are as they were: ${some(unstaged)}`] : []),
  ].join('; ');
}
