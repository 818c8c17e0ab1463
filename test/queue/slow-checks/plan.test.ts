import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planSlowChecks } from '../../../src/queue/slow-checks/plan.ts';
import type { SlowCheckPlan, SlowCheckSnapshot } from '../../../src/queue/slow-checks/snapshot.ts';
import { slow, soak, World } from './world.ts';

const names = (n: number) => Array.from({ length: n }, (_, at) => String(at + 1));
const without = (...bad: string[]) => ({ passes: (tasks: readonly string[]) => !tasks.some((task) => bad.includes(task)) });
const blamed = (world: World) => world.reverted.map((evidence) => evidence.bad.task);

describe('the slow check', () => {
  it('looks at the newest landed state only, and at that once', () => {
    const world = new World(without());
    world.land('1', '2');
    world.land('3');
    expect(world.settle()).toBe(1);
    expect(world.runs[0]!.tree).toBe('t:1,2,3');
    world.land('4');
    expect(world.settle()).toBe(1);
    expect(world.snapshot().steps).toEqual([]);
  });

  it('finds the task among many by bisecting, inside of a landing too, and takes back that one alone', () => {
    const world = new World(without('37'));
    for (let at = 0; at < 64; at += 8) world.land(...names(64).slice(at, at + 8));
    const runs = world.settle();
    expect(blamed(world)).toEqual(['37']);
    // 2 for the newest, 1 for the base, 6 halvings, 1 to confirm the culprit, 1 for the state without it.
    expect(runs).toBeLessThanOrEqual(11);
    expect(world.newest).toEqual(names(64).filter((task) => task !== '37'));
    const [evidence] = world.reverted;
    expect(evidence).toMatchObject({ good: { tree: `t:${names(36).join()}` }, bad: { tree: `t:${names(37).join()}`, whole: false } });
  });

  it('with paths is asked by their content: states that share it have one answer', () => {
    const world = new World(without());
    world.land('1');
    world.land('2');
    world.land('3');
    const snapshot = world.snapshot();
    const trees = [snapshot.base, ...snapshot.steps].map(({ tree }) => tree);
    const abouts = new Map(trees.map((tree, at) => [`${tree} slow`, at < 2 ? 'before' : 'since']));
    const run = (id: number, tree: string, outcome: 'pass' | 'fail') => ({ id, tree, check: 'slow', outcome });
    const runs = [run(1, 'since', 'fail'), run(2, 'since', 'fail'), run(3, 'before', 'pass')];
    expect(planSlowChecks({ ...snapshot, abouts, runs })).toMatchObject({ check: undefined, revert: { step: { task: '2' } } });
    expect(planSlowChecks({ ...snapshot, abouts, runs: [run(1, 'since', 'pass')] })).toMatchObject({
      check: undefined,
      good: { task: '3' },
    });
  });

  it('finds a second culprit that the first one hid, and the later of two that only fail together', () => {
    const world = new World({ passes: (tasks) => !tasks.includes('3') && !(tasks.includes('2') && tasks.includes('6')) });
    world.land(...names(8));
    world.settle();
    expect(blamed(world)).toEqual(['3', '6']);
    expect(world.halted).toBeUndefined();
  });

  it('goes on with the tree in doubt while others land, or nothing would ever be red twice', () => {
    let n = 0;
    const world = new World(without('2'));
    world.land('1');
    world.land('2');
    while (blamed(world).length === 0) {
      expect(world.turn()).toBe(true);
      if (n < 30) world.land(`later-${n++}`);
    }
    expect(blamed(world)).toEqual(['2']);
    expect(n).toBeLessThan(10);
  });

  it('takes nothing back that has been mended by then', () => {
    const world = new World({ passes: (tasks) => !tasks.includes('2') || tasks.includes('mend') });
    world.land('1');
    world.land('2');
    world.turn();
    world.turn();
    world.land('mend');
    world.settle();
    expect(blamed(world)).toEqual([]);
    expect(world.newest).toContain('mend');
    expect(world.snapshot().steps).toEqual([]);
  });

  it('blames nobody when the state before all landings fails too, and sees when it heals', () => {
    const world = new World({ passes: (tasks) => tasks.includes('cure') });
    world.land(...names(5));
    world.settle();
    expect(world.halted).toBe('slow fails on c: already, before all that furrow landed since: no task is to blame');
    world.land('6');
    world.settle();
    expect([blamed(world), world.halted === undefined]).toEqual([[], false]);
    world.land('cure');
    world.settle();
    expect([blamed(world), world.halted]).toEqual([[], undefined]);
  });

  it("tells a person of the user's own commit, and takes nothing of it back", () => {
    const world = new World({ passes: (tasks) => !tasks.some((task) => task.startsWith('user')) });
    world.land('1');
    world.land(null);
    world.land('2');
    world.settle();
    expect([blamed(world), world.halted]).toEqual([[], 'slow fails since your commit: nothing of that is taken back']);
  });

  it('counts no trouble of the machine, and says when it does not end', () => {
    const flaky = ['error', 'error', 'error', 'fail', 'error', 'pass'] as const;
    let at = 0;
    const world = new World({ ...without(), run: () => flaky[at++] ?? 'pass' });
    world.land('1');
    expect(world.settle()).toBe(6);
    expect(world.snapshot().steps).toEqual([]);
    const dead = new World({ ...without(), run: () => 'error' });
    dead.land('1');
    expect(dead.settle()).toBe(5);
    expect(dead.halted).toBe('slow could not be run on c:1, 5 times in a row');
  });

  it('is not satisfied with one pass of a state that failed before', () => {
    // The state before the culprit fails once by accident, then passes: it must pass twice before anybody is blamed.
    let run = 0;
    const world = new World({ ...without('3'), run: (truth) => (++run === 5 ? 'fail' : truth) });
    world.land('1');
    world.land('2');
    world.land('3');
    world.settle();
    expect(world.whys[5]).toBe('the first bad one: does it fail again?');
    expect(world.whys[6]).toBe('the last good one failed before: does it pass again?');
    expect(world.reverted[0]).toMatchObject({ bad: { task: '3' }, greens: [6, 7] });
  });

  it('has several checks in one slot, and calls good what all of them call good', () => {
    const world = new World({ passes: (tasks, check) => check === 'slow' || !tasks.includes('2'), checks: [slow, soak] });
    world.land('1');
    world.land('2');
    world.land('3');
    world.settle();
    expect(blamed(world)).toEqual(['2']);
    expect(world.reverted[0]!.check).toBe(soak);
    expect(world.newest).toEqual(['1', '3']);
    expect(world.snapshot().steps).toEqual([]);
  });
});

it('the base of the next search is never between two tasks of one landing: the target was never there', () => {
  const world = new World({ ...without('3'), plan: (snapshot) => ({ ...planSlowChecks(snapshot), revert: undefined, good: undefined }) });
  world.land('1');
  world.land('2', '3');
  world.settle();
  const plan = planSlowChecks(world.snapshot());
  expect([plan.revert?.evidence.good.tree, plan.good?.tree]).toEqual(['t:1,2', 't:1']);
});

describe('a revert', () => {
  const convicting = () => {
    const world = new World({ ...without('2'), plan: (snapshot) => ({ ...planSlowChecks(snapshot), revert: undefined }) });
    world.land('1');
    world.land('2');
    world.settle();
    return world.snapshot();
  };
  const reverts = (state: 'open' | 'landed' | 'failed') => ({ reverts: [{ step: 'l:2', state }] });

  it('is asked for once: nothing else happens while it is under way, and none follows one that came to nothing', () => {
    const snapshot = convicting();
    expect(planSlowChecks(snapshot).revert?.step.task).toBe('2');
    expect(planSlowChecks({ ...snapshot, ...reverts('open') })).toMatchObject({ check: undefined, revert: undefined, halted: undefined });
    const failed = planSlowChecks({ ...snapshot, ...reverts('failed') });
    expect([failed.revert, failed.halted]).toEqual([undefined, 'slow fails since 2, which could not be taken back']);
    expect(planSlowChecks({ ...snapshot, running: [{ tree: 'x', check: 'slow' }] }).revert).toBeUndefined();
  });

  it('that came to nothing does not stop the looking: newer states are checked', () => {
    const snapshot = convicting();
    const newer = { commit: 'c:n', tree: 't:n', landed: 'l:n', task: '3', entry: 3, what: '3', whole: true };
    const plan = planSlowChecks({ ...snapshot, steps: [...snapshot.steps, newer], ...reverts('failed') });
    expect(plan.check?.tree).toBe('t:n');
  });
});

describe('whatever lands and fails', () => {
  const history = fc.record({
    landings: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 12 }),
    bad: fc.uniqueArray(fc.integer({ min: 1, max: 40 }), { maxLength: 3 }),
    pair: fc.option(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.integer({ min: 21, max: 40 })), { nil: undefined }),
    retries: fc.integer({ min: 0, max: 2 }),
    /** Turns between two landings. */
    pace: fc.integer({ min: 0, max: 6 }),
    luck: fc.integer(),
  });
  type History = typeof history extends fc.Arbitrary<infer T> ? T : never;

  function play(story: History, flakes: number, plan: (snapshot: SlowCheckSnapshot) => SlowCheckPlan = planSlowChecks) {
    const { bad, pair, retries } = story;
    let luck = story.luck;
    const unlucky = () => {
      luck = (Math.imul(luck, 1664525) + 1013904223) >>> 0;
      return (luck >>> 8) % 100 < flakes;
    };
    const passes = (tasks: readonly string[]) =>
      !bad.some((task) => tasks.includes(String(task))) && !pair?.every((task) => tasks.includes(String(task)));
    const world = new World({ passes, retries, plan, run: (truth) => (unlucky() ? (truth === 'pass' ? 'fail' : 'error') : truth) });
    let next = 1;
    for (const size of story.landings) {
      world.land(...names(next + size - 1).slice(next - 1));
      next += size;
      for (let turn = 0; turn < story.pace; turn++) world.turn();
    }
    world.settle();
    return { world, passes };
  }

  const onlyCulprits = (plan: (snapshot: SlowCheckSnapshot) => SlowCheckPlan) =>
    fc.property(history, (story) => {
      const { world, passes } = play(story, 0, plan);
      const guilty = new Set([...story.bad, story.pair?.[1]].map(String));
      for (const task of blamed(world)) expect(guilty.has(task ?? '')).toBe(true);
      expect(passes(world.newest)).toBe(true);
      expect(world.halted).toBeUndefined();
    });

  it('takes back the culprits, no others, and ends on a state that passes', () =>
    fc.assert(onlyCulprits(planSlowChecks), { numRuns: 300 }));

  it('takes nothing back without enough reds of its state and a steady green of the one before', () =>
    fc.assert(
      fc.property(history, (story) => {
        const { world } = play(story, 15);
        for (const { bad, good, reds, greens } of world.reverted) {
          const of = (tree: string, ids: readonly number[], outcome: string) =>
            ids.every((id) => world.runs[id - 1]!.tree === tree && world.runs[id - 1]!.outcome === outcome);
          expect(of(bad.tree, reds, 'fail') && of(good.tree, greens, 'pass')).toBe(true);
          expect(reds.length).toBeGreaterThan(story.retries);
          expect(greens.length).toBeGreaterThan(0);
        }
      }),
      { numRuns: 300 },
    ));

  it('would blame others if the newest state alone were blamed: the property can fail', () => {
    const hasty = (snapshot: SlowCheckSnapshot): SlowCheckPlan => {
      const plan = planSlowChecks(snapshot);
      const step = snapshot.steps.at(-1);
      if (plan.check?.why.startsWith('looking') !== true || !step) return plan;
      const evidence = { check: slow, good: snapshot.base, bad: step, reds: [1], greens: [1] };
      return { ...plan, check: undefined, revert: { step, evidence } };
    };
    expect(fc.check(onlyCulprits(hasty), { numRuns: 300, endOnFailure: true }).failed).toBe(true);
  });
});
