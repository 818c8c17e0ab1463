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
    last: [
      { tree: 'b', at: 4, log: '4.log' },
      { tree: 'a', at: 1, log: '1.log' },
    ],
  });
  expect(lint).toMatchObject({ name: 'lint', flakes: 0, rate: 0 });
});
