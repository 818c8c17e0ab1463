import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainEntry } from '../../src/queue/explain.ts';
import { planQueue } from '../../src/queue/plan.ts';
import type { CheckRun } from '../../src/queue/snapshot.ts';
import { ended } from '../../src/work/entry/state.ts';
import { runs } from '../support/all.ts';
import { type Change, type Happening, type Weather, World } from './world.ts';

type Planner = typeof planQueue;

/** One change in three has such a thing to do with an earlier one. */
const earlier = (at: number): fc.Arbitrary<number | undefined> =>
  at === 0 ? fc.constant(undefined) : fc.oneof({ weight: 2, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary: fc.nat(at - 1) });
const change = (at: number): fc.Arbitrary<Change> =>
  fc.record({
    fault: fc.constantFrom('none', 'none', 'none', 'none', 'bad', 'contained', 'unrelated'),
    after: earlier(at),
    textual: earlier(at),
    bridge: earlier(at),
    semantic: earlier(at),
    own: fc.integer({ min: 0, max: 5 }).map((n) => n === 0),
    priority: fc.constantFrom(0, 0, 0, 1),
  });
const changes = fc.integer({ min: 1, max: 10 }).chain((n) => fc.tuple(...Array.from({ length: n }, (_, at) => change(at))));
const ending: fc.Arbitrary<Happening> = fc.record({
  on: fc.constant('check' as const),
  which: fc.nat(7),
  how: fc.constantFrom('fine' as const, 'fine' as const, 'fine' as const, 'spurious' as const, 'broken' as const),
});
const happening: fc.Arbitrary<Happening> = fc.oneof(
  { weight: 12, arbitrary: ending },
  { weight: 1, arbitrary: fc.constant<Happening>({ on: 'forget' }) },
  { weight: 1, arbitrary: fc.boolean().map((red): Happening => ({ on: 'commit', red })) },
  { weight: 1, arbitrary: fc.nat(9).map((which): Happening => ({ on: 'cancel', which })) },
  { weight: 1, arbitrary: fc.integer({ min: 1, max: 8 }).map((slots): Happening => ({ on: 'slots', slots })) },
);
const weather: fc.Arbitrary<Weather> = fc.record({
  happenings: fc.array(happening, { maxLength: 40 }),
  slots: fc.integer({ min: 1, max: 8 }),
  batch: fc.integer({ min: 1, max: 16 }),
  retries: fc.integer({ min: 0, max: 2 }),
  forgetful: fc.integer({ min: 0, max: 7 }).map((n) => n === 0),
});

const text = (value: unknown) => JSON.stringify(value, (_, one: unknown) => (one instanceof Map || one instanceof Set ? [...one] : one));

/** Runs a whole queue to rest on the model, which throws at any broken promise; then nothing may be left that could move. */
function drains(planner: Planner): (list: readonly Change[], sky: Weather) => void {
  return (list, sky) => {
    const world = new World(list, sky);
    world.drive(planner);
    for (const entry of world.all.filter((one) => !ended(one.state))) {
      const needs = list[entry.id]!.after;
      const cannot = needs !== undefined && world.all[needs]!.state !== 'landed';
      if (!cannot) throw new Error(`${entry.task} is left ${entry.state}`);
    }
  };
}

/** What the model says about a planner that is wrong. */
function caught(planner: Planner): string {
  const found = fc.check(fc.property(changes, weather, drains(planner)), { numRuns: 1000, seed: 7, endOnFailure: true });
  return found.errorInstance instanceof Error ? found.errorInstance.message : '';
}

describe('the queue', () => {
  it('lands only verified green trees in order of need, rejects no good change, blames nobody for a red head, and drains', () => {
    fc.assert(fc.property(changes, weather, drains(planQueue)), { numRuns: runs(50) });
  });

  it('has a sentence for every open entry at every look', () => {
    const explained: Planner = (snapshot) => {
      for (const entry of snapshot.entries.filter((one) => !ended(one.state))) {
        const reasons = explainEntry(snapshot, entry.id);
        if (reasons.length === 0 || reasons.some((one) => one.text.trim() === '')) throw new Error(`nothing is said of ${entry.task}`);
      }
      return planQueue(snapshot);
    };
    fc.assert(fc.property(changes, weather, drains(explained)), { numRuns: runs(10) });
  });

  it('plans the same from the same snapshot, leaves it as it was, and notes plain JSON', () => {
    const twice: Planner = (snapshot) => {
      const before = text(snapshot);
      const plan = planQueue(snapshot);
      expect(text(planQueue(structuredClone(snapshot)))).toBe(text(plan));
      expect(text(snapshot)).toBe(before);
      expect(JSON.parse(JSON.stringify(plan.notes))).toEqual(plan.notes);
      return plan;
    };
    fc.assert(fc.property(changes, weather, drains(twice)), { numRuns: runs(3) });
  });
});

describe('the model catches a queue that', () => {
  const passing = (runs: readonly CheckRun[], trees: readonly string[]): CheckRun[] => {
    const from = (runs.at(-1)?.id ?? 0) + 1;
    const pairs = trees.flatMap((tree) => ['lint', 'unit'].map((check) => ({ tree, check })));
    return [...runs, ...pairs.map((pair, at): CheckRun => ({ id: from + at, ...pair, outcome: 'pass' }))];
  };

  it('lands what was not checked', () => {
    const rash: Planner = (snapshot) => {
      const trees = [...snapshot.stacked.values()].flatMap((one) => (one.kind === 'clean' ? [one.tree] : []));
      return planQueue({ ...snapshot, runs: passing(snapshot.runs, trees) });
    };
    expect(caught(rash)).toContain('an unverified tree lands');
  });

  it('forgets what an entry needs', () => {
    const rude: Planner = (snapshot) => planQueue({ ...snapshot, entries: snapshot.entries.map((one) => ({ ...one, after: [] })) });
    expect(caught(rude)).toContain('without what it needs');
  });

  it('ends an entry twice', () => {
    const eager: Planner = (snapshot) => {
      const plan = planQueue(snapshot);
      return { ...plan, contained: [...plan.contained, ...(plan.land?.entries ?? [])] };
    };
    expect(caught(eager)).toContain('ended twice');
  });

  it('takes one red run for enough', () => {
    expect(caught((snapshot) => planQueue({ ...snapshot, retries: 0 }))).toMatch(/rejected after 1 red|a good change is rejected/);
  });

  it('takes a red head for green', () => {
    const credulous: Planner = (snapshot) =>
      planQueue({
        ...snapshot,
        runs: snapshot.runs.map((run) => (run.tree === snapshot.headTree ? { ...run, outcome: 'pass' } : run)),
      });
    expect(caught(credulous)).toContain('blamed for a red head');
  });

  it('starts more checks than there are slots', () => {
    expect(caught((snapshot) => planQueue({ ...snapshot, slots: snapshot.slots + 1 }))).toContain('more checks than slots');
  });

  it('remembers something outside of its snapshot', () => {
    let calls = 0;
    const moody: Planner = (snapshot) => {
      const plan = () => planQueue({ ...snapshot, batch: calls++ % 2 === 0 ? snapshot.batch : 1 });
      expect(plan(), 'another plan').toEqual(plan());
      return plan();
    };
    expect(caught(moody)).toContain('another plan');
  });

  it('does not look for culprits', () => {
    const idle: Planner = (snapshot) => {
      const plan = planQueue(snapshot);
      return { ...plan, checks: plan.checks.filter((one) => one.purpose !== 'trial') };
    };
    expect(caught(idle)).toMatch(/is left quarantined/);
  });
});
