import { expect, it } from 'vitest';
import { addRevert, landedReverts, noteReopened, readReverts } from '../../../src/queue/slow-checks/reverts.ts';
import { advanceEntry, submitEntry } from '../../../src/work/entry/store.ts';
import { newStore } from '../../support/store.ts';

const REWORK = { why: 'reverted', report: 'slow fails since it landed', from: 'c' } as const;
const REVERT = {
  task: { ref: 'revert/1-abc', id: '1-abc', title: 'revert 1' },
  attempt: 3,
  agent: null,
  sha: 'c',
  target: 'main',
  keep: false,
  asked: { by: 'furrow', rules: [] },
} as const;

it('a task is opened again once, when the revert of it has landed and not before', async () => {
  await using store = await newStore();
  const { db } = store;
  const inTx = db.transaction();
  const entry = await inTx.execute((tx) => submitEntry(tx, REVERT, 1));
  await inTx.execute((tx) => addRevert(tx, { step: 's1', task: 'p/1', check: 'slow' }, { entry, rework: REWORK }, 1));
  await inTx.execute((tx) => addRevert(tx, { step: 's2', task: 'p/2', check: 'slow' }, undefined, 2));
  expect(await readReverts(db)).toEqual([
    { step: 's2', entry: null, state: 'failed' },
    { step: 's1', entry, state: 'open' },
  ]);
  expect(await landedReverts(db)).toEqual([]);
  await inTx.execute((tx) => advanceEntry(tx, entry, { on: 'landed' }, 3, { reason: null }));
  const [landed, ...more] = await landedReverts(db);
  expect([landed, more]).toMatchObject([{ task: 'p/1', attempt: 3, rework: REWORK }, []]);
  await inTx.execute((tx) => noteReopened(tx, landed!.id, 4));
  expect(await landedReverts(db)).toEqual([]);
  expect((await readReverts(db)).at(-1)).toMatchObject({ step: 's1', state: 'landed' });
});
