import { expect, it } from 'vitest';
import {
  lastNotPassed,
  newestRuns,
  passTimes,
  queueRuns,
  runsAbout,
  runsBefore,
  runsNamed,
  runsWith,
} from '../../../src/queue/check-run/read.ts';
import { addCheckRun, pruneCheckRuns } from '../../../src/queue/check-run/store.ts';
import { newStore } from '../../support/store.ts';

const TREE = 'abcdef0123456789';
const RUN = { check: 'c', name: 'unit', at: 0, ms: 10, beside: 1, detail: null };

/** A store with runs 1 to 4: a pass, a red on another tree, an error about a content, and a slow pass after landing. */
async function withRuns() {
  const store = await newStore();
  await store.db.transaction().execute(async (tx) => {
    await addCheckRun(tx, { ...RUN, tree: TREE, outcome: 'pass', stage: 'queue', log: '/l1' });
    await addCheckRun(tx, { ...RUN, tree: 't2', outcome: 'fail', stage: 'queue', log: '/l2' });
    await addCheckRun(tx, { ...RUN, tree: 't3', outcome: 'error', stage: 'queue', log: '/l3', about: 'content' });
    await addCheckRun(tx, { ...RUN, tree: 't4', name: 'slow', outcome: 'pass', ms: 90, stage: 'after', log: '/l4' });
  });
  return store;
}

const ids = (rows: readonly { id: number }[]) => rows.map(({ id }) => id);

it('runs of checks are found by tree, content, name and log, in the order that each verb names', async () => {
  await using store = await withRuns();
  const { db } = store;
  expect(ids(await newestRuns(db, 3))).toEqual([4, 3, 2]);
  expect(ids(await queueRuns(db, 2))).toEqual([2, 3]);
  expect(ids(await runsAbout(db, [TREE, 'content']))).toEqual([1, 3]);
  expect(ids(await runsBefore(db, 3, { trees: ['t2', 't3'], contents: ['content'] }))).toEqual([2]);
  expect(ids(await runsWith(db, ['/l4'], [TREE]))).toEqual([1, 4]);
  expect(ids(await runsNamed(db, 'unit', 2))).toEqual([3, 2]);
  expect(ids(await runsNamed(db, TREE.slice(0, 8), 9))).toEqual([1]);
  expect(await passTimes(db, 'c', 5)).toEqual([90, 10]);
  expect((await lastNotPassed(db, 'c', ['t2', 'content']))?.id).toBe(3);
});

it('nothing is found for an empty list, or for a name that is only the start of another', async () => {
  await using store = await withRuns();
  const { db } = store;
  expect([await runsAbout(db, []), await runsWith(db, [], []), await runsBefore(db, 9, { trees: [], contents: [] })]).toEqual([[], [], []]);
  expect(await runsNamed(db, 'un', 9)).toEqual([]);
});

it('old runs are deleted in parts, and the newest stay however old they are', async () => {
  await using store = await withRuns();
  const { db } = store;
  expect(await pruneCheckRuns(db, 1, 1, 2)).toBe(2);
  expect(await pruneCheckRuns(db, 1, 1, 2)).toBe(1);
  expect(await pruneCheckRuns(db, 1, 1, 2)).toBe(0);
  expect(ids(await newestRuns(db, 9))).toEqual([4]);
});
