import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { chooseWidth, countConcurrency, type Timed } from '../../src/queue/width.ts';

/** A machine on which k checks at a time each take `ms(k)`; every check runs at the width chosen from those before. */
function settle(ms: (beside: number) => number, checks = 200, most = 8): number[] {
  const runs: Timed[] = [];
  const widths: number[] = [];
  for (let n = 0; n < checks; n++) {
    const beside = chooseWidth(runs, most);
    widths.push(beside);
    runs.push({ check: 'unit', outcome: 'pass', ms: ms(beside), beside, timedOut: false });
  }
  return widths;
}

const last = (widths: readonly number[]) => widths.at(-1);

describe('how many checks run at a time', () => {
  it('begins at one and goes up while that pays', () => {
    const widths = settle(() => 1000);
    expect(widths[0]).toBe(1);
    // From 7 to 8 the best that can be had is 14 %.
    expect(last(widths)).toBe(7);
  });

  it('stays at one for a check that fills the machine by itself', () => {
    const widths = settle((beside) => 1000 * beside);
    expect(Math.max(...widths)).toBe(2);
    expect(widths.filter((width) => width === 1).length).toBeGreaterThan(170);
  });

  it('stays at one for it also when checks begin together, or one joins another', () => {
    const runs: Timed[] = [];
    const there = countConcurrency();
    let now = 0;
    for (let round = 0; round < 100; round++) {
      const width = chooseWidth(runs, 8);
      const ends = Array.from({ length: width }, (_, at) => {
        now += round % 2 === 0 ? 0 : at;
        return { leave: there.enter(now), from: now };
      });
      now += 1000 * width;
      for (const { leave, from } of ends)
        runs.push({ check: 'unit', outcome: 'pass', ms: now - from, beside: leave(now), timedOut: false });
    }
    expect(Math.max(...runs.map((run) => run.beside))).toBe(2);
    expect(runs.filter((run) => run.beside === 1).length).toBeGreaterThan(70);
  });

  it('counts who was there on average, and who comes next anew', () => {
    const there = countConcurrency();
    const [first, second] = [there.enter(0), there.enter(30)];
    expect(first(100)).toBe(2);
    expect(second(1000)).toBe(1);
    expect(there.enter(2000)(2000)).toBe(1);
  });

  it('stops at the cores of the machine', () => {
    const widths = settle((beside) => 1000 * Math.max(1, beside / 4));
    expect(Math.max(...widths)).toBe(5);
    expect(widths.slice(20, 60).every((width) => width === 4)).toBe(true);
  });

  it('says nothing about a width that was not filled', () => {
    const alone = Array.from({ length: 20 }, (): Timed => ({ check: 'unit', outcome: 'pass', ms: 1000, beside: 1, timedOut: false }));
    expect(chooseWidth(alone, 8)).toBe(2);
  });

  it('steps back at a time-out in company, and not at one alone', () => {
    const fine = (beside: number): Timed => ({ check: 'unit', outcome: 'pass', ms: 1000, beside, timedOut: false });
    const up = [1, 1, 1, 2, 2, 2].map(fine);
    expect(chooseWidth(up, 8)).toBe(3);
    expect(chooseWidth([...up, { ...fine(3), outcome: 'fail', timedOut: true }], 8)).toBe(2);
    expect(chooseWidth([...up, { ...fine(1), outcome: 'fail', timedOut: true }], 8)).toBe(3);
  });

  it('is always between one and the most there may be', () => {
    const run = fc.record({
      check: fc.constantFrom('lint', 'unit'),
      outcome: fc.constantFrom('pass', 'fail', 'error'),
      ms: fc.nat(10_000),
      beside: fc.integer({ min: 1, max: 9 }),
      timedOut: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(run as fc.Arbitrary<Timed>, { maxLength: 80 }), fc.integer({ min: 1, max: 8 }), (runs, most) => {
        const width = chooseWidth(runs, most);
        expect(width).toBeGreaterThanOrEqual(1);
        expect(width).toBeLessThanOrEqual(most);
      }),
    );
  });
});
