import { describe, expect, it } from 'vitest';
import { preflightOf, waitsForPreflight } from '../../src/queue/preflight.ts';
import type { CheckRun } from '../../src/queue/snapshot.ts';
import { indexRuns, MAX_ERRORS } from '../../src/queue/verdict.ts';
import { Bench, check, entry } from './bench.ts';

const [LINT, UNIT] = [check('lint'), check('unit')];
const run = (id: number, spec: { id: string }, outcome: CheckRun['outcome'], tree = 'base'): CheckRun => ({
  id,
  tree,
  check: spec.id,
  outcome,
});
const knows = (...runs: CheckRun[]) => preflightOf({ headTree: 'base', checks: [LINT, UNIT], retries: 1 }, indexRuns(runs));

describe('what is known of the head before the first agent starts', () => {
  it('is open by the checks that have not passed', () => {
    expect(knows()).toEqual({ is: 'open', checks: [LINT, UNIT] });
    expect(knows(run(1, LINT, 'pass'), run(2, UNIT, 'pass', 'another tree'))).toEqual({ is: 'open', checks: [UNIT] });
    expect(knows(run(1, LINT, 'fail'))).toEqual({ is: 'open', checks: [LINT, UNIT] });
  });
  it('is green when all have passed on this tree, whenever that was', () => {
    expect(knows(run(1, UNIT, 'fail'), run(2, LINT, 'pass'), run(3, UNIT, 'pass'), run(4, UNIT, 'error'))).toEqual({ is: 'green' });
    expect(preflightOf({ headTree: 'base', checks: [], retries: 1 }, indexRuns([]))).toEqual({ is: 'green' });
  });
  it('is red only by as many reds as an entry would need', () => {
    expect(knows(run(1, UNIT, 'fail'), run(2, UNIT, 'fail'))).toEqual({ is: 'red', check: UNIT, run: 2 });
  });
  it('is broken when the machine cannot answer', () => {
    const errors = Array.from({ length: MAX_ERRORS }, (_, id) => run(id, LINT, 'error'));
    expect(knows(...errors)).toEqual({ is: 'broken', check: LINT });
  });
});

it('only an active work that asked for it waits, and not for a queue that a person paused', () => {
  expect(waitsForPreflight({ state: 'active', preflight: 'wanted' }, false)).toBe(true);
  expect(waitsForPreflight({ state: 'active', preflight: 'wanted' }, true)).toBe(false);
  expect(waitsForPreflight({ state: 'stopping', preflight: 'wanted' }, false)).toBe(false);
  expect(waitsForPreflight({ state: 'active', preflight: null }, false)).toBe(false);
});

describe('the queue checks the head', () => {
  const asked = (settings: Partial<Bench['settings']> = {}) => new Bench([], { checks: [LINT, UNIT], preflight: true, ...settings });

  it('by every check, when somebody waits for it, and not otherwise', () => {
    const plan = asked().plan();
    expect(plan.checks).toMatchObject([
      { tree: 'base', chain: [], check: LINT, purpose: 'head' },
      { tree: 'base', chain: [], check: UNIT, purpose: 'head' },
    ]);
    expect(asked({ preflight: false }).plan().checks).toEqual([]);
    expect(asked({ slots: 1 }).plan().checks).toHaveLength(1);
  });

  it('once: green lets the queue go on, red halts it', () => {
    const bench = asked({ retries: 0 });
    bench.entries.push(entry(1));
    expect(bench.plan().checks.every((one) => one.purpose === 'head')).toBe(true);
    bench.running = [];
    bench.runs.push(run(1, LINT, 'pass'), run(2, UNIT, 'pass'));
    expect(bench.plan().checks.map((one) => one.purpose)).toEqual(['chain']);
    bench.runs.push(run(3, UNIT, 'fail'));
    expect(bench.plan()).toMatchObject({ checks: [], halted: expect.stringContaining('unit') });
  });
});
