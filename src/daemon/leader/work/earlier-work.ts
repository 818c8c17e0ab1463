import { type Db, readMeta, type Tx, writeMeta } from '../../../journal/store.ts';
import { attemptsAt } from '../../../work/attempt/store.ts';
import { entriesOfTask } from '../../../work/entry/read.ts';
import { reworkOf } from '../../../work/task/rework.ts';
import { readTask } from '../../../work/task/store.ts';
import type { EarlierWork } from '../../acts/attempt-end/arguments.ts';

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

/** Notes that a person does not want these commits: they stay pinned, and are not asked about again. */
export async function dropWork(tx: Tx, task: string, shas: readonly string[]): Promise<void> {
  const before = JSON.parse((await readMeta(tx, droppedKey(task))) || '[]') as string[];
  await writeMeta(tx, droppedKey(task), JSON.stringify([...new Set([...before, ...shas])]));
}
