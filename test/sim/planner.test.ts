import { describe, expect, it } from 'vitest';
import { planQueue } from '../../src/queue/plan.ts';
import { ALL, runs } from '../support/all.ts';
import { anyParameters } from './parameters.ts';
import { serial } from './policies/serial.ts';
import { type Policy, simulate } from './simulate.ts';
import { flaky, MOST_FALSE_REJECTIONS, modelRun, seeds } from './storm.ts';
import { bestOfTwoSlots } from './two-slots.ts';
import { DEFAULTS, drawWorkload } from './workload.ts';

const SEEDS = ALL ? ['bench-0', 'bench-1'] : ['bench-0'];

describe('the planner', () => {
  // Thousands are for `npm run storm -- queue-model`.
  it('keeps every rule of the model', () => {
    expect(modelRun(seeds('ci', runs(15)))).toMatchObject({ violations: [], stuck: 0 });
  });

  it('rejects no good change without flakes, whatever else goes wrong', () => {
    const facts = modelRun(seeds('steady', runs(20)), (seed) => ({ ...anyParameters(seed), flakes: 0 }));
    expect(facts).toMatchObject({ violations: [], falselyRejected: 0 });
    expect(facts.rejected).toBeGreaterThan(runs(15));
  });

  it('rejects hardly a good change at 5 % flakes with one retry', () => {
    const facts = modelRun(seeds('flaky', runs(15)), flaky);
    expect(facts.violations).toEqual([]);
    expect(facts.falselyRejected / (facts.landed + facts.falselyRejected)).toBeLessThanOrEqual(MOST_FALSE_REJECTIONS);
  });

  it('lands the same after a crash as without, when all is good', () => {
    const steady = { ...DEFAULTS, changes: 30, bad: 0, semantic: 0, distant: 0 };
    expect(simulate(drawWorkload('crash', { ...steady, crashes: 5 }), planQueue).landedChanges).toBe(30);
  });

  it('is much faster than one after the other', () => {
    const workload = drawWorkload('burst', { ...DEFAULTS, changes: 60 });
    expect(simulate(workload, planQueue).makespan).toBeLessThan(simulate(workload, serial).makespan / 2.5);
  });

  describe.each(ALL ? [0.05, 0.1, 0.2] : [0.2])('with %d bad', (bad) => {
    const shares = (slots: number) => {
      const drawn = SEEDS.map((seed) => drawWorkload(seed, { ...DEFAULTS, changes: 200, slots, bad }));
      const done = drawn.map((workload) => simulate(workload, planQueue));
      const share = (of: 'started' | 'rejected' | 'makespan') => done.reduce((sum, totals) => sum + totals[of], 0) / (200 * done.length);
      return { checks: share('started'), p: share('rejected'), rounds: share('makespan') };
    };

    it('asks with one slot hardly more than the fewest checks that can tell', () => {
      const { checks, p } = shares(1);
      // A check tells one bit at most, and who is rejected was red a second time.
      const fewest = p - p * Math.log2(p) - (1 - p) * Math.log2(1 - p);
      expect(checks / fewest).toBeLessThanOrEqual(1.05);
    });

    it('asks with two slots hardly more, and takes hardly longer, than the best use of both on one stack', () => {
      const { checks, p, rounds } = shares(2);
      const best = bestOfTwoSlots(p);
      expect(checks / best.checks).toBeLessThanOrEqual(1.1);
      expect(rounds / best.rounds).toBeLessThanOrEqual(1.1);
    });
  });

  it('plays a workload again exactly from its seed', () => {
    const play = () => simulate(drawWorkload('again', anyParameters('again')), planQueue);
    expect(play()).toEqual(play());
  });

  it('plans the same again when only the states of its last plan are stored: nobody has to look for their sake', () => {
    let compared = 0;
    const policy: Policy = (snapshot) => {
      const plan = planQueue(snapshot);
      const states = new Map(plan.states.map(({ entry, state }) => [entry, state]));
      const entries = snapshot.entries.map((entry) => ({ ...entry, state: states.get(entry.id) ?? entry.state }));
      if (states.size > 0) {
        expect(planQueue({ ...snapshot, entries })).toEqual({ ...plan, states: [] });
        compared++;
      }
      return plan;
    };
    for (const seed of seeds('states', runs(6))) simulate(drawWorkload(seed, anyParameters(seed)), policy);
    expect(compared).toBeGreaterThan(20);
  });
});
