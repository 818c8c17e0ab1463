import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { explainEntry } from '../../src/merge/explain.ts';
import { planQueue } from '../../src/merge/plan.ts';
import type { CheckRun, QueueEntry, QueueSnapshot } from '../../src/merge/snapshot.ts';
import { ended } from '../../src/merge/state.ts';
import { CHECKS, type Change, RETRIES, type Weather, World } from './world.ts';

const earlier = (at: number) => (at === 0 ? fc.constant(undefined) : fc.option(fc.nat(at - 1), { nil: undefined, freq: 2 }));
const change = (at: number): fc.Arbitrary<Change> =>
  fc.record({
    fault: fc.constantFrom('none', 'none', 'none', 'bad', 'contained', 'unrelated'),
    after: earlier(at),
    textual: earlier(at),
    semantic: earlier(at),
  });
const changes = fc.integer({ min: 1, max: 8 }).chain((n) => fc.tuple(...Array.from({ length: n }, (_, at) => change(at))));
const weather: fc.Arbitrary<Weather> = fc.record({
  runs: fc.array(fc.constantFrom('fine', 'fine', 'spurious', 'broken'), { maxLength: 12 }),
  headRed: fc.boolean(),
});

/** Runs a whole queue to rest on the model, which throws at any broken promise; then nothing may be left that could move. */
function drains(planner: typeof planQueue): (changes: readonly Change[], weather: Weather) => void {
  return (list, sky) => {
    const world = new World(list, sky);
    world.drive(planner);
    if (world.halted) {
      expect(sky.headRed).toBe(true);
      return;
    }
    for (const entry of world.entries.filter((one) => !ended(one.state))) {
      const needs = list[entry.id]!.after;
      const cannot = list[entry.id]!.fault === 'unrelated' || (needs !== undefined && world.entries[needs]!.state !== 'landed');
      expect(cannot, `${entry.task} is ${entry.state}`).toBe(true);
    }
  };
}

/** What the property says about a planner that is wrong. */
function caught(planner: typeof planQueue): string {
  const found = fc.check(fc.property(changes, weather, drains(planner)), { numRuns: 2000 });
  return found.errorInstance instanceof Error ? found.errorInstance.message : '';
}

describe('the queue', () => {
  it('lands only verified green trees, rejects no good change, blames nobody for a red head, and drains', () => {
    fc.assert(fc.property(changes, weather, drains(planQueue)), { numRuns: 2000 });
  });

  it('would be caught if it took a red head for green', () => {
    const credulous: typeof planQueue = (snapshot) => {
      const passes = CHECKS.map((check): CheckRun => ({ tree: snapshot.headTree, check: check.id, outcome: 'pass' }));
      return planQueue({ ...snapshot, runs: [...snapshot.runs, ...passes] });
    };
    expect(caught(credulous)).toContain('blamed for a red head');
  });

  it('would be caught if one red run were enough', () => {
    const hasty: typeof planQueue = (snapshot) => {
      const twice = (one: CheckRun) => (one.outcome === 'fail' && one.tree !== snapshot.headTree ? [one, one] : [one]);
      return planQueue({ ...snapshot, runs: snapshot.runs.flatMap(twice) });
    };
    expect(caught(hasty)).toMatch(/good change is rejected|rejected after 1/);
  });

  it('plans the same from the same snapshot, and leaves it as it was', () => {
    fc.assert(
      fc.property(changes, weather, (list, sky) => {
        const world = new World(list, sky);
        world.drive((snapshot) => {
          const before = JSON.stringify(snapshot);
          const plan = planQueue(snapshot);
          expect(planQueue(structuredClone(snapshot))).toEqual(plan);
          expect(JSON.stringify(snapshot)).toBe(before);
          return plan;
        });
      }),
      { numRuns: 100 },
    );
  });
});

const entry = (id: number, rest: Partial<QueueEntry> = {}): QueueEntry => ({
  id,
  task: `default/${id}`,
  attempt: 1,
  sha: `s${id}`,
  after: [],
  state: 'queued',
  at: id,
  own: [],
  ...rest,
});
const clean = (sha: string) => ({ head: 'H', sha, result: { kind: 'clean', tree: `T-${sha}` } }) as const;
const snapshot = (rest: Partial<QueueSnapshot>): QueueSnapshot => ({
  head: 'H',
  headTree: 'TH',
  entries: [entry(1)],
  landedTasks: new Set(),
  stacked: [clean('s1')],
  runs: [],
  checks: [CHECKS[1]!],
  running: [],
  retries: RETRIES,
  slots: 1,
  paused: false,
  ...rest,
});
const run = (tree: string, outcome: CheckRun['outcome']): CheckRun => ({ tree, check: 'unit', outcome });

describe('a plan', () => {
  it('takes an old pass of the head for no alibi', () => {
    const runs = [run('TH', 'pass'), run('T-s1', 'fail')];
    expect(planQueue(snapshot({ runs })).checks).toMatchObject([{ tree: 'TH', purpose: 'head', commit: { head: 'H' } }]);
    expect(planQueue(snapshot({ runs: [...runs, run('TH', 'pass')] })).checks).toMatchObject([{ tree: 'T-s1', purpose: 'confirm' }]);
    const rejected = planQueue(snapshot({ runs: [...runs, run('TH', 'pass'), run('T-s1', 'fail')] }));
    expect(rejected.reject).toEqual([{ entry: 1, check: 'unit', tree: 'T-s1', head: 'H' }]);
  });

  it('stops the line when the head turns red, and when a check cannot be run five times', () => {
    const red = [run('TH', 'pass'), run('T-s1', 'fail'), run('TH', 'fail'), run('TH', 'fail')];
    expect(planQueue(snapshot({ runs: red }))).toMatchObject({
      halted: expect.stringContaining('head itself fails unit'),
      checks: [],
      reject: [],
      land: [],
    });
    const errors = Array.from({ length: 5 }, () => run('T-s1', 'error'));
    expect(planQueue(snapshot({ runs: errors.slice(1) })).halted).toBeUndefined();
    expect(planQueue(snapshot({ runs: errors }))).toMatchObject({
      halted: expect.stringContaining('could not be run on default/1'),
      checks: [],
    });
  });

  it("asks a task's own check last, and does not ask it of the head", () => {
    const own = { id: 'own', name: 'task-check', run: 'x', timeoutMs: 1, env: {} };
    const passed = { tree: 'T-s1', check: CHECKS[1]!.id, outcome: 'pass' as const };
    const failed = { tree: 'T-s1', check: 'own', outcome: 'fail' as const };
    const entries = snapshot({}).entries.map((one) => ({ ...one, own: [own] }));
    const plan = (runs: QueueSnapshot['runs']) => planQueue(snapshot({ entries, runs }));
    expect(plan([]).checks).toMatchObject([{ check: { id: CHECKS[1]!.id } }]);
    expect(plan([passed])).toMatchObject({ checks: [{ check: own, purpose: 'entry' }], land: [] });
    expect(plan([passed, failed]).checks).toMatchObject([{ tree: 'T-s1', purpose: 'confirm' }]);
    expect(plan([passed, failed, failed])).toMatchObject({ reject: [{ check: 'own' }], halted: undefined });
  });

  it('lands without checks only when there are none, and says so', () => {
    expect(planQueue(snapshot({ checks: [] })).land).toEqual([{ entries: [1], tree: 'T-s1', head: 'H', unchecked: true }]);
  });

  it('starts no check twice, cancels what nobody wants, and does nothing while paused', () => {
    const running = [{ tree: 'T-s1', check: 'unit' }];
    expect(planQueue(snapshot({ running }))).toMatchObject({ checks: [], cancel: [] });
    expect(planQueue(snapshot({ running: [{ tree: 'gone', check: 'unit' }] }))).toMatchObject({
      cancel: [{ tree: 'gone', check: 'unit' }],
      checks: [{ tree: 'T-s1' }],
    });
    expect(planQueue(snapshot({ running, paused: true, entries: [] }))).toMatchObject({ cancel: [], checks: [], states: [] });
  });

  it('keeps an entry that cannot be merged out of the way of the others', () => {
    const entries = [entry(1), entry(2)];
    const stacked = [{ head: 'H', sha: 's1', result: { kind: 'error', reason: 'shares no history' } } as const, clean('s2')];
    const plan = planQueue(snapshot({ entries, stacked }));
    expect(plan.refuse).toEqual([{ entry: 1, reason: 'shares no history' }]);
    expect(plan.checks).toMatchObject([{ entry: 2 }]);
  });
});

describe('why an entry waits', () => {
  const says = (rest: Partial<QueueSnapshot>, id: number) => explainEntry(snapshot(rest), id).map((reason) => reason.text);

  it('names what it needs', () => {
    const entries = [
      entry(1),
      entry(2),
      entry(3, { after: ['default/2'] }),
      entry(4, { after: ['default/9'] }),
      entry(5, { state: 'rejected' }),
      entry(6, { after: ['default/5'] }),
    ];
    expect(says({ entries }, 3)).toEqual(['waits for default/2, which is in the queue behind 1 entry', '2 entries ahead of it']);
    expect(says({ entries }, 4)).toEqual(['waits for default/9, which was not submitted']);
    expect(says({ entries }, 6)).toEqual(['waits for default/5, whose last entry ended: rejected']);
    expect(says({ entries }, 5)).toEqual(['it has ended: rejected']);
  });

  it('names what is being done with it', () => {
    expect(says({}, 1)).toEqual(['is being checked: unit']);
    expect(says({ stacked: [] }, 1)).toEqual(['is being merged onto the head']);
    expect(says({ runs: [run('T-s1', 'fail')] }, 1)).toEqual(['failed unit; the head is checked before it is blamed']);
    expect(says({ runs: [run('T-s1', 'pass')] }, 1)).toEqual(['lands now']);
    expect(says({ paused: true }, 1)).toEqual(['the queue is paused']);
  });
});
