import { describe, expect, it } from 'vitest';
import { runs } from '../support/all.ts';
import { anyParameters } from './parameters.ts';
import { bors } from './policies/bors.ts';
import { serial } from './policies/serial.ts';
import { zuul } from './policies/zuul.ts';
import { simulate } from './simulate.ts';
import { seeds } from './storm.ts';
import { DEFAULTS, drawWorkload } from './workload.ts';

describe.each([
  ['serial', serial],
  ['bors', bors],
  ['zuul', zuul],
])('the %s queue, which others are compared with', (name, policy) => {
  it('keeps every rule of the model while nobody interferes', () => {
    for (const seed of seeds(name, runs(10))) {
      // None of them knows of a person's yes.
      const parameters = { ...anyParameters(seed), userCommits: 0, orders: 0, approvals: 0 };
      simulate(drawWorkload(seed, parameters), policy);
    }
  });

  it('lands every good change of a workload without conflicts', () => {
    const workload = drawWorkload(name, { ...DEFAULTS, changes: 40, textual: 0, semantic: 0, distant: 0, depends: 0 });
    const good = workload.changes.filter(({ fails }) => fails === undefined).length;
    expect(simulate(workload, policy)).toMatchObject({ landedChanges: good, rejected: 40 - good, falselyRejected: 0 });
  });
});
