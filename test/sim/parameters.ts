import { between, chance, dice, oneOf, whole } from './random.ts';
import { DEFAULTS, type Parameters } from './workload.ts';

/** Parameters of a small workload, from the seed alone: anything that may come, and often much of it at once. */
export function anyParameters(seed: string): Parameters {
  const roll = dice(`${seed}/parameters`);
  const sometimes = (probability: number, most: number) => (chance(roll, probability) ? between(roll, 0, most) : 0);
  return {
    changes: oneOf(roll, [whole(roll, 1, 4), whole(roll, 5, 15), whole(roll, 10, 40)]),
    slots: whole(roll, 1, 8),
    batch: oneOf(roll, [1, 2, 8, 8, 16]),
    retries: whole(roll, 0, 2),
    load: chance(roll, 0.5) ? between(roll, 0.2, 1.5) : undefined,
    bad: oneOf(roll, [0, 0.05, between(roll, 0, 0.5)]),
    modules: whole(roll, 1, 40),
    zipf: between(roll, 0, 1.2),
    textual: oneOf(roll, [0, DEFAULTS.textual, between(roll, 0, 0.3)]),
    semantic: oneOf(roll, [0, DEFAULTS.semantic, between(roll, 0, 0.2)]),
    distant: sometimes(0.3, 0.01),
    depends: oneOf(roll, [0, 0.1, between(roll, 0, 0.7)]),
    checks: oneOf(roll, [1, 1, 1, 2, 3, 0]),
    own: sometimes(0.3, 0.5),
    sigma: between(roll, 0, 1),
    flakes: sometimes(0.4, 0.1),
    errors: sometimes(0.2, 0.1),
    contention: sometimes(0.3, 1),
    mergeCost: sometimes(0.2, 0.05),
    copies: sometimes(0.2, 0.2),
    unrelated: sometimes(0.2, 0.2),
    ejected: sometimes(0.2, 0.3),
    userCommits: chance(roll, 0.25) ? whole(roll, 1, 3) : 0,
    orders: chance(roll, 0.25) ? whole(roll, 1, 4) : 0,
    crashes: chance(roll, 0.25) ? whole(roll, 1, 4) : 0,
    eager: chance(roll, 0.3),
    approvals: sometimes(0.3, 1),
  };
}
