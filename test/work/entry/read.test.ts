import { expect, it } from 'vitest';
import type { Tx } from '../../../src/journal/store.ts';
import {
  allEntries,
  countEnds,
  endedEntries,
  entriesById,
  entriesOfTask,
  firstSubmitted,
  landedOrQueued,
  lastEntryOf,
  lastSubmitted,
  newestOf,
  openEntries,
  openEntryOf,
  timesSubmitted,
} from '../../../src/work/entry/read.ts';
import { advanceEntry, submitEntry } from '../../../src/work/entry/store.ts';
import { newStore } from '../../support/store.ts';

const submit = (tx: Tx, id: string, attempt: number, now: number) =>
  submitEntry(
    tx,
    {
      task: { ref: `p/${id}`, id, title: id },
      attempt,
      agent: null,
      sha: `c${id}${attempt}`,
      target: 'main',
      keep: false,
      asked: { by: 'person', rules: [] },
    },
    now,
  );

/** Task 1 landed at its second attempt, 2 waits, 3 was rejected. */
async function queue(tx: Tx): Promise<{ conflict: number; landed: number; open: number; rejected: number }> {
  const conflict = await submit(tx, '1', 1, 10);
  await advanceEntry(tx, conflict, { on: 'conflicted' }, 11, { reason: 'a.txt' });
  const open = await submit(tx, '2', 1, 20);
  const rejected = await submit(tx, '3', 1, 30);
  await advanceEntry(tx, rejected, { on: 'refused' }, 31, { reason: 'no' });
  const landed = await submit(tx, '1', 2, 40);
  await advanceEntry(tx, landed, { on: 'landed' }, 41, { reason: null });
  return { conflict, landed, open, rejected };
}

const ids = (rows: readonly { readonly id: number }[]) => rows.map(({ id }) => id);

it('entries are found in the order of the queue, open or ended, by id and by task', async () => {
  await using store = await newStore();
  await store.db.transaction().execute(async (tx) => {
    const { conflict, landed, open, rejected } = await queue(tx);
    expect(ids(await allEntries(tx))).toEqual([conflict, open, rejected, landed]);
    expect(ids(await openEntries(tx))).toEqual([open]);
    expect(ids(await endedEntries(tx, 2))).toEqual([landed, rejected]);
    expect(ids(await entriesById(tx, [landed, conflict, 99]))).toEqual([conflict, landed]);
    expect(await entriesById(tx, [])).toEqual([]);
    expect(ids(await entriesOfTask(tx, 'p/1'))).toEqual([conflict, landed]);
    expect([await openEntryOf(tx, 'p/1'), (await openEntryOf(tx, 'p/2'))?.id]).toEqual([undefined, open]);
    expect((await lastEntryOf(tx, 'p/1'))?.id).toBe(landed);
  });
});

it('a task is known by its newest entry, and by its first', async () => {
  await using store = await newStore();
  await store.db.transaction().execute(async (tx) => {
    await queue(tx);
    expect(await firstSubmitted(tx, ['p/1', 'p/9'])).toEqual(new Map([['p/1', 10]]));
    expect(await lastSubmitted(tx, ['p/1', 'p/3', 'p/9'])).toEqual(
      new Map([
        ['p/1', 2],
        ['p/3', 1],
      ]),
    );
    expect([await timesSubmitted(tx, 'p/1'), await timesSubmitted(tx, 'p/9')]).toEqual([2, 0]);
    expect((await newestOf(tx, ['p/1'])).get('p/1')?.state).toBe('landed');
    expect(await landedOrQueued(tx, ['p/1', 'p/2', 'p/3', 'p/9'])).toEqual(
      new Map([
        ['p/1', 'landed'],
        ['p/2', 'submitted'],
      ]),
    );
    expect(await countEnds(tx)).toEqual({ landed: 1, rejected: 1 });
  });
});
