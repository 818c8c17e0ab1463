import { expect, it } from 'vitest';
import { missing } from './permissions/jail.ts';
import { edited, mutants } from './permissions/mutants.ts';
import { judgeAndRun } from './permissions.ts';

it.skipIf(missing() !== undefined)('command lines that the rules allow do nothing that the rules promise to ask about', async () => {
  const { facts, violations } = await judgeAndRun('everyday', 300);
  expect(violations).toEqual([]);
  // In two shells; rules that allow nothing would keep every promise.
  expect(facts.executed).toBeGreaterThan(100);
});

it('each rule that the storm takes out is still there to be taken out', async () => {
  const changed = (await Promise.all(mutants.map(edited))).flat();
  expect(changed).toHaveLength(mutants.length);
});
