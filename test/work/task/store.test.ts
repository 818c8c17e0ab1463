import { describe, expect, it } from 'vitest';
import { eventsAfter } from '../../../src/journal/event.ts';
import type { Tx } from '../../../src/journal/store.ts';
import { reworkOf } from '../../../src/work/task/rework.ts';
import {
  addTasks,
  advance,
  allTasks,
  noteFile,
  noteRework,
  noteTaken,
  readTask,
  removeTask,
  reworkedTasks,
} from '../../../src/work/task/store.ts';
import { takenOf } from '../../../src/work/task/taken-over.ts';
import { newStore } from '../../support/store.ts';
import { taskRow } from './row.ts';

const RED = { why: 'check', report: 'sh check.sh failed', from: 'c0ffee' } as const;

/** Runs in one transaction of a new store with the tasks p/1 and p/2. */
async function withTasks(work: (tx: Tx) => Promise<void>): Promise<void> {
  await using store = await newStore();
  await store.db.transaction().execute(async (tx) => {
    await addTasks(tx, [taskRow('1'), taskRow('2')]);
    await work(tx);
  });
}

describe('a task in the store', () => {
  it('is told of the last attempt by its rework, until it lands', () =>
    withTasks(async (tx) => {
      await advance(tx, 'p/1', { on: 'claimed', holder: 'ada', token: 1 }, 1);
      await advance(tx, 'p/1', { on: 'submitted', token: 1 }, 2);
      expect(await advance(tx, 'p/1', { on: 'handedBack', token: 1 }, 3, { rework: RED })).toBe(true);
      expect(reworkOf(await readTask(tx, 'p/1'))).toEqual(RED);
      expect((await reworkedTasks(tx)).map(({ ref }) => ref)).toEqual(['p/1']);
      await advance(tx, 'p/1', { on: 'claimed', holder: 'ada', token: 2 }, 4);
      expect(reworkOf(await readTask(tx, 'p/1')), 'a change that does not speak of it leaves it').toEqual(RED);
      await advance(tx, 'p/1', { on: 'submitted', token: 2 }, 5);
      await advance(tx, 'p/1', { on: 'landed', token: 2 }, 6, { commit: 'c', rework: null });
      expect([reworkOf(await readTask(tx, 'p/1')), await reworkedTasks(tx)]).toEqual([null, []]);
    }));

  it('stands in the order in which it came to the board, whatever went in between', async () => {
    await using store = await newStore();
    const refs = await store.db.transaction().execute(async (tx) => {
      await addTasks(tx, [taskRow('9'), taskRow('2')]);
      await addTasks(tx, [taskRow('5'), taskRow('1')]);
      await removeTask(tx, 'p/2');
      await addTasks(tx, [taskRow('2')]);
      return (await allTasks(tx)).map(({ ref }) => ref);
    });
    expect(refs).toEqual(['p/9', 'p/5', 'p/1', 'p/2']);
    // No engine need find rows as they were added: here the table itself has another order.
    await store.db.updateTable('task').set({ seq: 0 }).where('ref', '=', 'p/2').execute();
    expect((await allTasks(store.db)).map(({ ref }) => ref)).toEqual(['p/2', 'p/9', 'p/5', 'p/1']);
  });

  it('is left as it is by the word of an attempt that was replaced, and the log says so', async () => {
    await using store = await newStore();
    await store.db.transaction().execute(async (tx) => {
      await addTasks(tx, [taskRow('1')]);
      await advance(tx, 'p/1', { on: 'claimed', holder: 'ada', token: 1 }, 1);
      await advance(tx, 'p/1', { on: 'crashed', token: 1 }, 2);
      await advance(tx, 'p/1', { on: 'claimed', holder: 'ada', token: 2 }, 3);
      const before = await readTask(tx, 'p/1');
      expect(await advance(tx, 'p/1', { on: 'failed', token: 1 }, 4, { rework: RED, tell: { status: 'todo' } })).toBe(false);
      expect(await readTask(tx, 'p/1')).toEqual(before);
    });
    expect(await eventsAfter(store.db, 0)).toMatchObject([{ kind: 'task.stale', task: 'p/1', attempt: 1 }]);
  });

  it('keeps its standing when its file, its rework or its owner changes', () =>
    withTasks(async (tx) => {
      await advance(tx, 'p/1', { on: 'claimed', holder: 'ada', token: 1 }, 1);
      const taken = { by: 'ada', at: 2, branch: 'b', worktree: '/w', ready: false };
      await noteTaken(tx, 'p/1', taken);
      await noteRework(tx, 'p/1', RED);
      await noteFile(tx, 'p/1', { title: 'another', status: 'review' });
      const task = await readTask(tx, 'p/1');
      expect(task).toMatchObject({ standing: 'leased', attempt: 1, title: 'another', status: 'review' });
      expect([takenOf(task), reworkOf(task)]).toEqual([taken, RED]);
      await noteTaken(tx, 'p/1', null);
      expect(takenOf(await readTask(tx, 'p/1'))).toBeUndefined();
      expect(await readTask(tx, 'p/2')).toMatchObject({ standing: 'open', rework: null, taken: null });
    }));

  it('that was removed is asked for in vain, with a word that helps', () =>
    withTasks(async (tx) => {
      await removeTask(tx, 'p/1');
      await expect(readTask(tx, 'p/1')).rejects.toMatchObject({ code: 'NO_TASK', hint: 'furrow list' });
      expect(await readTask(tx, 'p/2')).toMatchObject({ id: '2' });
    }));
});
