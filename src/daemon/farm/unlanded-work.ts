import { gitPath } from '../../journal/branch.ts';
import { listRefs } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';
import { type Unlanded, unlandedOf } from '../../repo/merge/unlanded.ts';
import type { EarlierWork } from '../acts/attempt-end/arguments.ts';

/**
 * The commits submitted or kept for a task that its target lacks, the newest work first. Commits of attempts before the task last landed do
 * not count, nor those that a person dropped. `tip`: the present tip of its branch.
 */
export async function unlandedWork(
  repo: Repo,
  task: string,
  { since, from, dropped }: EarlierWork,
  target: string,
  tip?: string,
): Promise<Unlanded[]> {
  const pins = (await listRefs(repo, `refs/furrow/pin/${gitPath(task)}/`)).filter(({ ref }) => !ref.endsWith('-uncommitted'));
  const numbered = pins.map(({ ref, oid }) => ({ oid, n: Number(/\/(\d+)(-[^/]*)?$/.exec(ref)?.[1] ?? since + 1) }));
  const kept = numbered.filter(({ n }) => n > since).toSorted((a, b) => b.n - a.n);
  const all = [...(tip ? [tip] : []), ...(from ? [from] : []), ...kept.map(({ oid }) => oid)];
  return unlandedOf(
    repo,
    target,
    all.filter((sha) => !dropped.includes(sha)),
  );
}

type Some = readonly [Unlanded, ...Unlanded[]];

export const isSome = (found: readonly Unlanded[]): found is Some => found.length > 0;

/** The question about them, as the end of a sentence. */
export function landOrDrop([{ commits }]: Some): string {
  return `${commits} ${commits === 1 ? 'commit has' : 'commits have'} not landed: land or drop?`;
}
