import { expect, it } from 'vitest';
import { hangsFrom, hangText, type RunningFacts, usualOf } from '../../src/queue/hanging.ts';

const S = 1000;
const M = 60 * S;
const run: RunningFacts = { name: 'unit', started: 0, grew: 60 * S, timeoutMs: 10 * M, usualMs: 20 * S, log: '/l/unit.log' };

it('a check that is much slower than usual and silent is said to hang, long before its timeout, with what to type', () => {
  expect(hangText(run, 4 * M)).toBe(
    'check unit has run 4m (usually 20s), no output for 3m; timeout in 6m. Output: /l/unit.log; furrow logs unit -f',
  );
  expect(hangText({ ...run, name: 'check' }, 4 * M)).toMatch(/^check has run 4m/);
  expect(hangsFrom(run)).toBe(80 * S);
});

it.each<[string, Partial<RunningFacts>, number, boolean]>([
  ['prints still', { grew: 4 * M - 5 * S }, 4 * M, false],
  ['is silent, but not slow yet', { grew: 0 }, 50 * S, false],
  ['is quick as a rule', { usualMs: 40, grew: 0 }, 29 * S, false],
  ['is quick as a rule, and now is not', { usualMs: 40, grew: 0 }, 31 * S, true],
  ['takes more than a third of its timeout as a rule', { usualMs: 5 * M, grew: 0 }, 8 * M, true],
  ['ran never before', { usualMs: undefined, grew: 0 }, 3 * M, false],
  ['ran never before, and is silent for a third of its timeout', { usualMs: undefined, grew: 0 }, 4 * M, true],
])('a check that %s', (_what, facts, now, hangs) => {
  expect(hangText({ ...run, ...facts }, now) !== undefined).toBe(hangs);
});

it('one slow run does not change what is usual', () => {
  expect(usualOf([20, 900, 21, 19, 22])).toBe(21);
  expect(usualOf([])).toBeUndefined();
});
