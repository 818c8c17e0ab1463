import { expect, it } from 'vitest';
import { cheapFirst } from '../../src/queue/cheap-first.ts';
import type { Timed } from '../../src/queue/width.ts';

const checks = ['e2e', 'unit', 'lint'].map((id) => ({ id, name: id, run: id, timeoutMs: 1000, env: {} }));
const took = (check: string, ms: number, outcome: Timed['outcome'] = 'pass'): Timed => ({ check, ms, outcome, beside: 1, timedOut: false });
const order = (runs: Timed[]) => cheapFirst(checks, runs).map((check) => check.id);

it('runs the checks as configured until each has passed once', () => {
  expect(order([])).toEqual(['e2e', 'unit', 'lint']);
  expect(order([took('unit', 10), took('lint', 10), took('e2e', 5, 'fail')])).toEqual(['e2e', 'unit', 'lint']);
});

it('then runs the cheap ones first, and leaves those of about the same time as they are', () => {
  expect(order([took('e2e', 60_000), took('unit', 9000), took('lint', 2000)])).toEqual(['lint', 'unit', 'e2e']);
  expect(order([took('e2e', 60_000), took('unit', 2100), took('lint', 2000)])).toEqual(['unit', 'lint', 'e2e']);
});
