import { expect, it } from 'vitest';
import type { Farm } from '../../../src/daemon/farm/farm.ts';
import { budgetSpent } from '../../../src/daemon/leader/work/budget-spent.ts';
import { refuse } from '../../../src/daemon/leader/work/refusal.ts';
import { readMeta, type Tx, writeMeta } from '../../../src/journal/store.ts';
import { closeQuestions, openQuestions } from '../../../src/work/question/store.ts';
import { newStore } from '../../support/store.ts';

/** More queries than `budgetSpent` makes: an answer comes before the first of them, between each two, and after the last. */
const MOMENTS = 12;

/** A farm whose work has used up its budget; the person answers after so many queries of the look. */
async function answered(moment: number, answer: (tx: Tx) => Promise<void>) {
  await using store = await newStore();
  const clock = { now: () => 1000, awake: () => 1000 };
  // Nothing spent is already all of it.
  const farm = { config: { budget: { run_usd: 0 } }, db: store.db, clock } as unknown as Farm;
  const held = budgetSpent(farm, 'default/T1');
  for (let nth = 0; nth < moment; nth++) await readMeta(store.db, 'none');
  await store.db.transaction().execute(async (tx) => {
    await answer(tx);
    await closeQuestions(tx, 'budget', 'farm', 'answered', 1000);
  });
  return { held: await held, again: await budgetSpent(farm, 'default/T1'), asked: (await openQuestions(store.db)).map(({ kind }) => kind) };
}

const moments = Array.from({ length: MOMENTS }, (_, moment) => moment);

it('a person is asked for more', async () => {
  expect(await answered(0, async () => {})).toMatchObject({ held: { code: 'budget', for: 'farm' }, asked: ['budget'] });
});

it.each(moments)('a yes that comes while the budget is looked at closes the question (moment %i)', async (moment) => {
  const at = await answered(moment, (tx) => writeMeta(tx, 'budget.run', '5'));
  expect([at.again, at.asked]).toEqual([undefined, []]);
});

it.each(moments)('so does a no (moment %i)', async (moment) => {
  const at = await answered(moment, (tx) => refuse(tx, 'budget', 'farm'));
  expect(at.again).toMatchObject({ code: 'budget', refused: true });
  expect(at.asked).toEqual([]);
});
