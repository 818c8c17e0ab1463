import { expect, it } from 'vitest';
import { prune } from '../../../src/daemon/leader/retention.ts';
import { addCheckRun } from '../../../src/queue/check-run/store.ts';
import { added, without } from '../../../src/tell/metrics/counts.ts';
import { countsSince, keptCounts } from '../../../src/tell/metrics/pruned-counts.ts';
import { checkCounts, lastingCounts, questionCounts } from '../../../src/tell/metrics/read.ts';
import { closeQuestions, openQuestions, raiseQuestion } from '../../../src/work/question/store.ts';
import { newStore as store } from '../../support/store.ts';

const DAY = 24 * 3600_000;

it('what retention deletes stays counted, flakes too whose other half is still there', async () => {
  await using at = await store();
  const { db } = at;
  await db.transaction().execute(async (tx) => {
    const run = (tree: string, outcome: 'pass' | 'fail', day: number, ms: number) =>
      addCheckRun(tx, {
        ...{ tree, check: 'id', name: 'unit', outcome, at: day * DAY, ms },
        ...{ beside: 1, stage: 'queue', log: '', detail: null },
      });
    await run('a', 'pass', 1, 400);
    await run('a', 'fail', 60, 90_000);
    for (let n = 0; n < 2100; n++) await run(`t${n}`, n % 2 ? 'pass' : 'fail', 60, n);
  });
  await db.transaction().execute(async (tx) => {
    await raiseQuestion(tx, { kind: 'parked', subject: 'default/1', reason: 'x' }, DAY);
    await closeQuestions(tx, 'parked', 'default/1', 'done', DAY + 60_000);
    await raiseQuestion(tx, { kind: 'queue', subject: 'queue', reason: 'y' }, DAY);
  });
  const all = async () => without(added(await keptCounts(db), await checkCounts(db), await questionCounts(db)), new Map());
  const before = Object.fromEntries(await all());
  expect(before).toMatchObject({
    '["furrow_check_flakes_total",["unit"],"value"]': 1,
    '["furrow_check_runs_total",["unit","pass"],"value"]': 1051,
    '["furrow_check_seconds",["unit"],"count"]': 2102,
    '["furrow_question_seconds",["task"],60]': 1,
    '["furrow_questions_total",["farm"],"value"]': 1,
  });
  await prune(db, 150 * DAY);
  expect(Object.fromEntries(await checkCounts(db))['["furrow_check_runs_total",["unit","pass"],"value"]']).toBe(1000);
  expect(Object.fromEntries(await all())).toEqual(before);
  expect((await openQuestions(db)).map(({ kind }) => kind)).toEqual(['queue']);
  expect(Object.fromEntries(await lastingCounts(db))).toMatchObject({ '["furrow_events_total",[],"value"]': 3 });
});

it('the time since when it counts is that of the first event, and does not move', async () => {
  await using at = await store();
  await at.db.transaction().execute((tx) => raiseQuestion(tx, { kind: 'queue', subject: 'queue', reason: 'y' }, 700));
  expect(await countsSince(at.db, 1000)).toBe(700);
  expect(await countsSince(at.db, 2000)).toBe(700);
});
