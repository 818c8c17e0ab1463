import { expect, it } from 'vitest';
import { beginErrand } from '../../../src/work/errand/store.ts';
import { addTasks } from '../../../src/work/task/store.ts';
import { newStore } from '../../support/store.ts';
import { taskRow } from '../task/row.ts';

it('an errand has an id that no other has in any phase', async () => {
  await using at = await newStore();
  const errand = { purpose: 'split', about: 'p/1', kind: null, title: 't', brief: null, base: null, notBy: null } as const;
  const begun = await at.db.transaction().execute(async (tx) => {
    await addTasks(tx, [taskRow('p/1')]);
    return [await beginErrand(tx, { ...errand, phase: 'errands' }, 1), await beginErrand(tx, { ...errand, phase: 'p' }, 2)];
  });
  expect(begun).toEqual(['errands/split-1-1', 'p/split-1-2']);
});
