import { expect, it } from 'vitest';
import { flakeLedger, type LedgerRun } from '../../src/queue/flakes.ts';

const run = (tree: string, outcome: LedgerRun['outcome'], at: number, check = 'unit'): LedgerRun => ({
  tree,
  check,
  name: check,
  outcome,
  at,
  ms: 100,
  log: `${at}.log`,
});

it('counts a red as a flake only when the same check passed on the same tree, before or after', () => {
  const runs = [
    run('a', 'fail', 1),
    run('a', 'pass', 2),
    run('b', 'pass', 3),
    run('b', 'fail', 4),
    run('c', 'fail', 5),
    run('c', 'pass', 6, 'lint'),
    run('d', 'error', 7),
    run('d', 'pass', 8),
  ];
  const [unit, lint] = flakeLedger(runs);
  expect(unit).toEqual({
    name: 'unit',
    runs: 7,
    passes: 3,
    fails: 3,
    errors: 1,
    flakes: 2,
    rate: 2 / 5,
    meanMs: 100,
    usualMs: 100,
    longestMs: 100,
    last: [
      { tree: 'b', at: 4, log: '4.log' },
      { tree: 'a', at: 1, log: '1.log' },
    ],
  });
  expect(lint).toMatchObject({ name: 'lint', flakes: 0, rate: 0 });
});

it('tells how long a check takes when it passes, and of one that never did how long it takes to fail', () => {
  const took = (outcome: LedgerRun['outcome'], ms: number, check?: string) => ({ ...run('t', outcome, ms, check), ms });
  const runs = [
    took('pass', 1000),
    took('pass', 1100),
    took('pass', 9000),
    took('fail', 20),
    took('fail', 400, 'lint'),
    took('error', 3, 'lint'),
  ];
  const byName = new Map(flakeLedger(runs).map((one) => [one.name, one]));
  expect(byName.get('unit')).toMatchObject({ meanMs: 3700, usualMs: 1100, longestMs: 9000 });
  expect(byName.get('lint')).toMatchObject({ meanMs: 400, usualMs: 400, longestMs: 400 });
});
