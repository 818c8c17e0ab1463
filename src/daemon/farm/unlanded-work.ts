import { gitPath } from '../../journal/branch.ts';
import { type Db, readMeta, type Tx, writeMeta } from '../../journal/store.ts';
import { listRefs } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';
import { type Unlanded, unlandedOf } from '../../repo/merge/unlanded.ts';
import { attemptsAt } from '../../work/attempt/store.ts';
import { entriesOfTask } from '../../work/entry/read.ts';
import { reworkOf } from '../../work/task/rework.ts';
import { readTask } from '../../work/task/store.ts';
import type { EarlierWork } from '../acts/attempt-end/arguments.ts';

const droppedKey = (task: string) => `dropped.${task}`;

/** Reads the store's part of what is known of a task's work that has not landed. */
export async function earlierWork(db: Db, task: string): Promise<EarlierWork> {
  const [attempts, entries, row] = [await attemptsAt(db, task), await entriesOfTask(db, task), await readTask(db, task)];
  const settled = [
    ...attempts.filter(({ outcome }) => outcome === 'unchanged').map(({ n }) => n),
    ...entries.filter(({ state }) => state === 'landed').map(({ attempt }) => attempt),
  ];
  const dropped = JSON.parse((await readMeta(db, droppedKey(task))) || '[]') as string[];
  return { since: Math.max(0, ...settled), from: reworkOf(row)?.from ?? null, dropped };
}

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

/** Notes that a person does not want these commits: they stay pinned, and are not asked about again. */
export async function dropWork(tx: Tx, task: string, shas: readonly string[]): Promise<void> {
  const before = JSON.parse((await readMeta(tx, droppedKey(task))) || '[]') as string[];
  await writeMeta(tx, droppedKey(task), JSON.stringify([...new Set([...before, ...shas])]));
}

type Some = readonly [Unlanded, ...Unlanded[]];

export const isSome = (found: readonly Unlanded[]): found is Some => found.length > 0;

/** The question about them, as the end of a sentence. */
export function landOrDrop([{ commits }]: Some): string {
  return `${commits} ${commits === 1 ? 'commit has' : 'commits have'} not landed: land or drop?`;
}
