import { describe, expect, it } from 'vitest';
import { planQueue, type QueuePlan } from '../../src/queue/plan.ts';
import { chainKey, type QueueSnapshot } from '../../src/queue/snapshot.ts';
import { type Policy, simulate } from './simulate.ts';
import type { Rule } from './violation.ts';
import { DEFAULTS, drawWorkload, type Parameters } from './workload.ts';

/** A planner that is right but for one thing. */
const but =
  (change: (plan: QueuePlan, snapshot: QueueSnapshot) => Partial<QueuePlan>): Policy =>
  (snapshot) => {
    const plan = planQueue(snapshot);
    return { ...plan, ...change(plan, snapshot) };
  };

/** A planner that is right about a snapshot that is not. */
const misled =
  (see: (snapshot: QueueSnapshot) => Partial<QueueSnapshot>): Policy =>
  (snapshot) =>
    planQueue({ ...snapshot, ...see(snapshot) });

const reckless = but((_, { entries, stacked, head }) => {
  const found = entries.map(({ id }) => ({ id, known: stacked.get(chainKey([id])) })).findLast(({ known }) => known?.kind === 'clean');
  return found?.known?.kind === 'clean' ? { land: { entries: [found.id], tree: found.known.tree, head, unchecked: false } } : {};
});

const newestFirst = but((_, { entries, stacked, head, checks }) => {
  const newest = entries.at(-1)?.id;
  const known = newest === undefined ? undefined : stacked.get(chainKey([newest]));
  if (newest === undefined || known?.kind !== 'clean') return { stack: newest === undefined || known ? [] : [[newest]], land: undefined };
  return { land: { entries: [newest], tree: known.tree, head, unchecked: checks.length === 0 } };
});

const forgetful = misled(({ entries }) => ({ entries: entries.map((entry) => ({ ...entry, after: [] })) }));

let landed: QueuePlan['land'];
const repetitive = but(({ land }) => {
  landed ??= land;
  return { land: landed };
});

let times = 0;

const mutants: [string, Rule, Policy, Partial<Parameters>][] = [
  ['lands what it has not checked, and it is red', 'no red landing', reckless, { bad: 1 }],
  ['lands what it has not checked, though it is green', 'no unverified landing', reckless, { bad: 0, depends: 0 }],
  [
    'does not say that nothing was checked',
    'no unverified landing',
    but(({ land }) => ({ land: land && { ...land, unchecked: false } })),
    { checks: 0 },
  ],
  ['lands on a head that was', 'what lands is what was planned', but(({ land }) => ({ land: land && { ...land, head: 'h-1' } })), {}],
  [
    'lands fewer entries than the tree has',
    'what lands is what was planned',
    but(({ land }) => ({ land: land && { ...land, entries: land.entries.slice(1) } })),
    {},
  ],
  ['lands the newest first', 'landings are dependency-closed', newestFirst, { depends: 1 }],
  ['rejects twice', 'an entry ends once', but(({ reject }) => ({ reject: [...reject, ...reject] })), { bad: 0.5 }],
  ['lands once more what has landed', 'an entry ends once', repetitive, {}],
  ['sees a slot too many', 'no more checks than slots', misled(({ slots }) => ({ slots: slots + 1 })), {}],
  [
    'checks another tree than it says',
    'checks are of known trees',
    but(({ checks }) => ({ checks: checks.map((check) => ({ ...check, chain: [] })) })),
    {},
  ],
  ['starts what runs', 'checks are of known trees', misled(() => ({ running: [] })), {}],
  ['cancels what does not run', 'checks are of known trees', but(() => ({ cancel: [{ tree: 'none', check: 'check-0' }] })), {}],
  [
    'merges onto the unknown',
    'checks are of known trees',
    but((_, { entries }) => ({ stack: [entries.slice(0, 3).map(({ id }) => id)] })),
    {},
  ],
  ['forgets what an entry needs', 'no good change is rejected', forgetful, { depends: 0.9, textual: 0.3, bad: 0, semantic: 0 }],
  ['rejects at the first red', 'rejections have evidence', misled(() => ({ retries: 0 })), { retries: 2, bad: 0.5 }],
  [
    'counts a run twice',
    'rejections have evidence',
    but(({ reject }) => ({ reject: reject.map((one) => ({ ...one, runs: [...one.runs, ...one.runs] })) })),
    { bad: 0.5 },
  ],
  [
    'blames an entry for runs of others',
    'rejections have evidence',
    but(({ reject }, { runs }) => ({ reject: reject.map((one) => ({ ...one, runs: runs.map(({ id }) => id) })) })),
    { bad: 0.5 },
  ],
  ['rejects out of the blue', 'rejections have evidence', but(() => ({ states: [] })), { bad: 0.5 }],
  [
    'hands back what merges',
    'only conflicts are handed back',
    but((_, { entries }) => ({ handback: entries.slice(0, 1).map(({ id }) => ({ entry: id, report: {} as never })) })),
    {},
  ],
  [
    'refuses what merges',
    'only unmergeable work is refused',
    but((_, { entries }) => ({ refuse: entries.slice(0, 1).map(({ id }) => ({ entry: id, reason: '' })) })),
    {},
  ],
  [
    'passes over work',
    'only contained work is passed over',
    but((_, { entries }) => ({ contained: entries.slice(0, 1).map(({ id }) => id) })),
    {},
  ],
  ['does not see the pause', 'nothing begins or ends in a pause', misled(() => ({ paused: false })), { orders: 20 }],
  [
    'does not ask for a yes',
    'nothing lands without its yes',
    misled(({ entries }) => ({ entries: entries.map((entry) => ({ ...entry, awaitsYes: false })) })),
    { approvals: 0.5 },
  ],
  [
    'lets all wait behind one that waits for a yes',
    'nothing is stuck',
    but(({ land }, { entries }) => (entries.some(({ awaitsYes }) => awaitsYes) ? { land: undefined } : { land })),
    { approvals: 0.2 },
  ],
  [
    'shows a person what it has not checked',
    'what waits for a yes was checked',
    but(({ checks }, { entries }) => ({
      checks: checks.filter(({ chain }) => !entries.some(({ id, awaitsYes }) => awaitsYes && chain.includes(id))),
    })),
    { approvals: 0.5 },
  ],
  ['starts nothing', 'nothing is stuck', but(() => ({ checks: [] })), {}],
  ['never lands', 'nothing is stuck', but(() => ({ land: undefined })), {}],
  [
    'asks for the same merge for ever',
    'nothing is stuck',
    but((_, { entries }) => ({ stack: entries.slice(0, 1).map(({ id }) => [id]) })),
    {},
  ],
  [
    'halts on a red entry',
    'no halt without a cause',
    but(({ reject }) => (reject.length > 0 ? { halted: 'red', reject: [], checks: [] } : {})),
    { bad: 0.5, slots: 1 },
  ],
  ['changes its mind', 'same snapshot, same plan', but(() => ({ halted: times++ % 2 ? 'odd' : undefined })), { flakes: 0.01 }],
];

describe('the model cries when a planner', () => {
  it.each(mutants)('%s', (_, rule, policy, parameters) => {
    const run = () => simulate(drawWorkload('mutant', { ...DEFAULTS, changes: 30, slots: 3, ...parameters }), policy);
    expect(run).toThrow(
      expect.objectContaining({ name: 'Violation', rule, seed: 'mutant', message: expect.stringContaining('seed mutant') }),
    );
  });
});
