import { resolve } from '../../platform/git/refs.ts';
import { type MendedIndex, mendIndexes } from '../../platform/git/torn-index.ts';
import { mendReflogs } from '../../platform/git/torn-reflogs.ts';
import type { Host } from './host.ts';

type Mending = Pick<Host, 'repo' | 'leader' | 'target' | 'report'>;

/** Mends the indexes of our worktrees after a clean-up of git's store, and tells of it. True: one is left as it is for now. */
export async function mendOwnIndexes(farm: Mending): Promise<boolean> {
  const busy = new Set(await farm.leader.work.busyWorktrees());
  const { mended, left } = await mendIndexes(farm.repo, await targetAt(farm), (path) => busy.has(path));
  await farm.report({ events: mended.map((one) => ({ kind: 'index.mended', text: textOf(one), data: { ...one } })) });
  return left.length > 0;
}

/** The same for the reflogs of our refs and worktrees. */
export async function mendOwnReflogs(farm: Mending): Promise<void> {
  const refs = await mendReflogs(farm.repo, await targetAt(farm));
  const text = `reflogs of furrow's named commits of which git no longer has all, and no longer do: ${some(refs)}`;
  await farm.report({ events: refs.length > 0 ? [{ kind: 'reflog.mended', text, data: { refs } }] : [] });
}

async function targetAt({ repo, target }: Mending): Promise<string[]> {
  const at = await resolve(repo, `refs/heads/${target}`);
  return at ? [at] : [];
}

const some = (names: readonly string[]) => `${names.slice(0, 5).join(', ')}${names.length > 5 ? ` and ${names.length - 5} more` : ''}`;

function textOf({ path, restored, unstaged }: MendedIndex): string {
  return [
    `the index of ${path} named objects that a git gc or git prune took, and no longer does`,
    ...(restored.length > 0 ? [`stored again from its files: ${some(restored)}`] : []),
    ...(unstaged.length > 0 ? [`not staged any more, the files are as they were: ${some(unstaged)}`] : []),
  ].join('; ');
}
