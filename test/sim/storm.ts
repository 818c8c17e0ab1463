import { planQueue } from '../../src/queue/plan.ts';
import type { Outcome, StormOptions } from '../storm/scenario.ts';
import { anyParameters } from './parameters.ts';
import { simulate } from './simulate.ts';
import { Violation } from './violation.ts';
import { DEFAULTS, drawWorkload, type Parameters } from './workload.ts';

export interface ModelFacts {
  workloads: number;
  changes: number;
  landings: number;
  landed: number;
  rejected: number;
  falselyRejected: number;
  handedBack: number;
  halts: number;
  stuck: number;
  violations: string[];
}

/** Of the good changes, at 5 % flakes and one retry. */
export const MOST_FALSE_REJECTIONS = 0.005;

/** Runs the planner on many workloads, whose parameters are drawn from their seeds, and adds up. */
export function modelRun(seeds: Iterable<string>, parameters: (seed: string) => Parameters = anyParameters): ModelFacts {
  const counts = { landings: 0, landed: 0, rejected: 0, falselyRejected: 0, handedBack: 0, halts: 0, stuck: 0 };
  const facts: ModelFacts = { workloads: 0, changes: 0, ...counts, violations: [] };
  for (const seed of seeds) {
    facts.workloads++;
    try {
      const totals = simulate(drawWorkload(seed, parameters(seed)), planQueue);
      facts.changes += totals.changes;
      facts.landings += totals.landings;
      facts.landed += totals.landedChanges;
      facts.rejected += totals.rejected;
      facts.falselyRejected += totals.falselyRejected;
      facts.handedBack += totals.handedBack;
      facts.halts += totals.halts;
    } catch (error) {
      // Anything else than a violation is a crash of the planner, and worth its stack.
      facts.violations.push(error instanceof Violation ? error.message : `${(error as Error).stack} (seed ${seed})`);
      if (error instanceof Violation && error.rule === 'nothing is stuck') facts.stuck++;
    }
  }
  return facts;
}

export function* seeds(prefix: string, count: number, say: (line: string) => void = () => {}): Generator<string> {
  for (let n = 0; n < count; n++) {
    if (n > 0 && n % 1000 === 0) say(`${prefix}: ${n} of ${count} workloads`);
    yield `${prefix}/${n}`;
  }
}

/** What a flaky project looks like: the usual work, and one failed run in twenty of green trees. */
export function flaky(seed: string): Parameters {
  const { changes, slots, batch, load } = anyParameters(seed);
  return { ...DEFAULTS, changes, slots, batch, load, retries: 1, flakes: 0.05 };
}

/** Thousands of modelled workloads (`rounds`): half of anything, a quarter without flakes, a quarter flaky in the usual way. */
export async function queueModelStorm(options: Pick<StormOptions, 'seed' | 'rounds' | 'say'>): Promise<Outcome> {
  const count = options.rounds ?? 10_000;
  const part = (name: string, share: number, parameters: (seed: string) => Parameters) =>
    modelRun(seeds(`${options.seed}/${name}`, Math.ceil(count * share), options.say), parameters);
  const any = part('any', 0.5, anyParameters);
  const steady = part('steady', 0.25, (seed) => ({ ...anyParameters(seed), flakes: 0 }));
  const flakes = part('flaky', 0.25, flaky);
  const violations = [any, steady, flakes].flatMap((facts) => facts.violations);
  const falseRate = flakes.falselyRejected / Math.max(1, flakes.landed + flakes.falselyRejected);
  if (falseRate > MOST_FALSE_REJECTIONS)
    violations.push(`${(falseRate * 100).toFixed(2)} % of the good changes were rejected at 5 % flakes (${options.seed}/flaky)`);
  if (steady.falselyRejected > 0)
    violations.push(`${steady.falselyRejected} good changes were rejected without a flake (${options.seed}/steady)`);
  const sum = (of: (facts: ModelFacts) => number) => of(any) + of(steady) + of(flakes);
  return {
    facts: {
      workloads: sum((facts) => facts.workloads),
      changes: sum((facts) => facts.changes),
      landings: sum((facts) => facts.landings),
      landed: sum((facts) => facts.landed),
      rejected: sum((facts) => facts.rejected),
      handed_back: sum((facts) => facts.handedBack),
      halts: sum((facts) => facts.halts),
      stuck: sum((facts) => facts.stuck),
      false_rejections: { any: any.falselyRejected, without_flakes: steady.falselyRejected, flaky: flakes.falselyRejected },
      false_rejections_per_cent: Math.round(falseRate * 1e5) / 1e3,
    },
    violations,
  };
}
