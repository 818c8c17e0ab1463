import { expect, it } from 'vitest';
import { overBudget, usdOf } from '../../../src/agents/agent/budget.ts';

const usage = { input: 1_000_000, output: 100_000, cacheRead: 2_000_000, cacheWrite: 500_000 };

it('has no limit without a budget', () => expect(overBudget({}, { run: 1e6, task: 1e6 }, { run: 1 })).toBeNull());
it('is over when it is used up, the task before the work', () => {
  const budget = { run_usd: 20, task_usd: 5 };
  expect(overBudget(budget, { run: 19.99, task: 4.99 }, {})).toBeNull();
  expect(overBudget(budget, { run: 20, task: 5 }, {})).toEqual({ over: 'task', reason: 'this task has cost $5.00 of $5.00' });
  expect(overBudget(budget, { run: 20, task: 0.001 }, {})).toEqual({ over: 'run', reason: 'this work has cost $20.00 of $20.00' });
});
it('goes by what a person has agreed to since, which never lowers it', () => {
  expect(overBudget({ task_usd: 5 }, { run: 0, task: 6 }, { task: 10 })).toBeNull();
  expect(overBudget({ task_usd: 5 }, { run: 0, task: 10 }, { task: 10 })).toMatchObject({ over: 'task' });
  expect(overBudget({ task_usd: 5 }, { run: 0, task: 4 }, { task: 1 })).toBeNull();
});
it('tells a small sum from nothing', () =>
  expect(overBudget({ run_usd: 0.001 }, { run: 0.002, task: 0 }, {})?.reason).toBe('this work has cost $0.002 of $0.001'));
it("takes the agent's own figure, else the price list, else none", () => {
  expect(usdOf({ ...usage, usd: 0.25 }, { input: 3, output: 15, cached: 0.3 })).toBe(0.25);
  expect(usdOf(usage, { input: 3, output: 15, cached: 0.3 })).toBeCloseTo(1.5 * 3 + 0.1 * 15 + 2 * 0.3, 10);
  expect(usdOf(usage)).toBeNull();
});
