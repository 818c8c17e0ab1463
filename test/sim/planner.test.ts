import { describe, expect, it } from 'vitest';
import { planQueue } from '../../src/queue/plan.ts';
import { runs } from '../support/all.ts';
import { anyParameters } from './parameters.ts';
import { serial } from './policies/serial.ts';
import { simulate } from './simulate.ts';
import { flaky, MOST_FALSE_REJECTIONS, modelRun, seeds } from './storm.ts';
import { DEFAULTS, drawWorkload } from './workload.ts';

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

  it('plays a workload again exactly from its seed', () => {
    const play = () => simulate(drawWorkload('again', anyParameters('again')), planQueue);
    expect(play()).toEqual(play());
  });
});
