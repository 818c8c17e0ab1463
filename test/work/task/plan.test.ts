import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { globsOverlap } from '../../../src/agents/lease/paths.ts';
import { assign, type DispatchSnapshot, inOrder, type PlanTask, planDispatch } from '../../../src/work/task/dispatch.ts';
import { explain } from '../../../src/work/task/explain.ts';
import { graphOf } from '../../../src/work/task/graph.ts';
import { stuck } from '../../../src/work/task/stuck.ts';
import { cost } from './cost.ts';
import { agent, snapshot, task } from './snapshot.ts';

const NOW = 1_000_000;
const started = (shot: DispatchSnapshot) => planDispatch(shot, NOW).map((one) => `${one.task.replace('default/', '')}:${one.agent}`);
const many = (n: number) => Array.from({ length: n }, (_, i) => agent(`a${i}`));

const ids = ['1', '2', '3', '4', '5', '6'];
const anyTask = (id: string): fc.Arbitrary<PlanTask> =>
  fc
    .record({
      dependsOn: fc.subarray(
        ids.filter((other) => other !== id),
        { maxLength: 2 },
      ),
      standing: fc.constantFrom('open', 'open', 'open', 'open', 'landed', 'landed', 'leased', 'submitted', 'parked'),
      status: fc.constantFrom('todo', 'todo', 'todo', 'backlog', 'backlog', 'done', 'archived', 'in-progress'),
      blocked: fc.constantFrom(false, false, false, false, false, true),
      priority: fc.constantFrom('low', 'high', 'strange'),
      class: fc.constantFrom('expedite', 'standard', ''),
      due: fc.constantFrom(null, '2026-01-01', '2026-01-02'),
      created: fc.nat(2),
      notBefore: fc.constantFrom(0, 0, 0, 0, NOW + 1),
      attempt: fc.nat(1),
      reworking: fc.boolean(),
      wasHeldBy: fc.constantFrom(null, 'a', 'b', 'c'),
    })
    .map((fields) => task(id, fields as Partial<PlanTask>));
const anySnapshot = fc
  .tuple(
    fc.tuple(...ids.map(anyTask)),
    fc.array(fc.record({ free: fc.constantFrom(true, true, false), paused: fc.constantFrom(false, false, false, true) }), { maxLength: 4 }),
    fc.constantFrom(false, false, false, true),
  )
  .map(([tasks, agents, paused]) =>
    snapshot(
      tasks,
      agents.map((each, n) => agent('abcd'[n]!, each)),
      { paused },
    ),
  );

/** Ready, written down the long way. */
function ready(each: PlanTask, shot: DispatchSnapshot): boolean {
  const over = (other: PlanTask | undefined) =>
    other !== undefined &&
    (other.standing === 'landed' || (['open', 'parked'].includes(other.standing) && ['done', 'archived'].includes(other.status)));
  const held = each.status === 'in-progress' && each.attempt === 0;
  return (
    each.standing === 'open' &&
    !over(each) &&
    !each.blocked &&
    !held &&
    each.notBefore <= NOW &&
    each.dependsOn.every((id) => over(shot.tasks.find((other) => other.id === id)))
  );
}

describe('an errand', () => {
  const review = (more: Partial<PlanTask> = {}) => task('review-1-1', { purpose: 'review', notBy: 'a0', created: 9, ...more });

  it('comes before the tasks of the board, and goes to another agent than the author while one is free', () => {
    expect(started(snapshot([task('1', { priority: 'critical' }), review()], many(2)))).toEqual(['review-1-1:a1', '1:a0']);
    expect(started(snapshot([review()], many(1)))).toEqual(['review-1-1:a0']);
  });

  it('takes no place of a limit on tasks under way', () => {
    const wip = new Map([['default', { wip: { 'in-progress': 1 }, classWip: {} }]]);
    const shot = {
      ...snapshot([task('1'), review(), review({ ref: 'default/r2', id: 'r2', standing: 'leased', attempt: 1 })], many(3)),
      wip,
    };
    expect(started(shot)).toEqual(['review-1-1:a1', '1:a0']);
  });
});

describe('dispatch', () => {
  it('finds the best few without sorting all: the plan is the one that sorting gives', () =>
    fc.assert(
      fc.property(anySnapshot, fc.array(fc.constantFrom('default', 'ui'), { minLength: 6, maxLength: 6 }), (shot, phases) => {
        const tasks = shot.tasks.map((each, n) => ({ ...each, phase: phases[n]!, ref: `${phases[n]}/${each.id}` }));
        const agents = shot.agents.map((each, n) => ({ ...each, phase: n % 2 ? 'ui' : 'default' }));
        const two = { ...shot, tasks, agents, activePhases: new Set(['default', 'ui']) };
        expect(planDispatch(two, NOW)).toEqual(assign(inOrder(two, graphOf(tasks), NOW), two));
      }),
      { numRuns: 500 },
    ));

  it('starts ready tasks only, as many as agents are free, each agent and task once', () => {
    let dispatched = 0;
    fc.assert(
      fc.property(anySnapshot, (shot) => {
        const plan = planDispatch(shot, NOW);
        dispatched += plan.length;
        const could = shot.tasks.filter((each) => ready(each, shot));
        const free = shot.agents.filter((each) => each.free && !each.paused);
        expect(plan).toHaveLength(shot.paused ? 0 : Math.min(could.length, free.length));
        expect(new Set(plan.map((one) => one.agent)).size).toBe(plan.length);
        expect(new Set(plan.map((one) => one.task)).size).toBe(plan.length);
        for (const one of plan) {
          const each = could.find((other) => other.ref === one.task);
          expect(one.attempt).toBe(each!.attempt + 1);
          expect(free.map((other) => other.name)).toContain(one.agent);
        }
      }),
      { numRuns: 2000 },
    );
    expect(dispatched).toBeGreaterThan(200);
  });

  it('does not depend on the order in which tasks come', () =>
    fc.assert(
      fc.property(anySnapshot, fc.func(fc.nat()), (shot, key) => {
        const shuffled = [...shot.tasks].sort((a, b) => (key(a.id) as number) - (key(b.id) as number));
        expect(planDispatch({ ...shot, tasks: shuffled }, NOW)).toEqual(planDispatch(shot, NOW));
        expect(stuck({ ...shot, tasks: shuffled }, NOW, false) === undefined).toBe(stuck(shot, NOW, false) === undefined);
      }),
      { numRuns: 500 },
    ));

  it('gives every task that does not start a reason, and those that start none', () =>
    fc.assert(
      fc.property(anySnapshot, (shot) => {
        const starting = new Set(planDispatch(shot, NOW).map((one) => one.task));
        for (const [ref, reasons] of explain(shot, NOW)) expect(reasons.length > 0).toBe(!starting.has(ref));
      }),
      { numRuns: 1000 },
    ));

  const orders = (what: string, tasks: PlanTask[], expected: string) =>
    it(`prefers ${what}`, () =>
      expect(
        planDispatch(snapshot(tasks, many(9)), NOW)
          .map((one) => one.task.split('/')[1])
          .join(' '),
      ).toBe(expected));
  orders('rework', [task('1', { class: 'expedite' }), task('2', { reworking: true })], '2 1');
  orders('the class', [task('1', { due: '2026-01-01' }), task('2', { class: 'expedite' }), task('3', { class: 'intangible' })], '2 1 3');
  orders(
    'the earlier due',
    [task('1', { priority: 'critical' }), task('2', { due: '2026-02-01' }), task('3', { due: '2026-01-01' })],
    '3 2 1',
  );
  orders('the priority', [task('1'), task('2', { priority: 'high' }), task('3', { priority: 'strange' })], '2 1 3');
  orders('what most waits for', [task('1'), task('2'), task('3', { dependsOn: ['2'] }), task('4', { dependsOn: ['3'] })], '2 1');
  orders('the older', [task('1', { created: 2 }), task('2', { created: 1 })], '2 1');
  orders('the smaller number', [task('10'), task('9'), task('a')], '9 10 a');

  it('gives rework back to its agent, without letting a later task take it', () => {
    const tasks = [task('1', { reworking: true, wasHeldBy: 'gone' }), task('2', { reworking: true, wasHeldBy: 'a' })];
    expect(started(snapshot(tasks))).toEqual(['1:b', '2:a']);
    expect(started(snapshot(tasks, [agent('a')]))).toEqual(['1:a']);
  });

  it('keeps phases apart', () => {
    const shot = snapshot([task('1'), task('ui/1'), task('api/1')], [agent('u', { phase: 'ui' }), agent('p', { phase: 'api' })], {
      activePhases: new Set(['default', 'ui']),
    });
    expect(started(shot)).toEqual(['ui/1:u']);
  });
});

describe('why a task does not start', () => {
  const says = (what: string, shot: DispatchSnapshot, ref: string, ...texts: string[]) =>
    it(what, () =>
      expect(
        explain(shot, NOW)
          .get(`default/${ref}`)
          ?.map((reason) => reason.text),
      ).toEqual(texts),
    );
  const waits = task('1', { dependsOn: ['4'] });
  says('names what is in the queue', snapshot([waits, task('4', { standing: 'submitted' })]), '1', 'waits for 4, which is in the queue');
  says('names what does not exist', snapshot([waits]), '1', 'waits for 4, which does not exist');
  says(
    'names what several phases have',
    snapshot([waits, task('ui/4'), task('api/4')]),
    '1',
    'waits for 4, which several phases have: write phase/id',
  );
  says('names a task of another phase', snapshot([waits, task('ui/4', { blocked: true })]), '1', 'waits for ui/4, which is blocked');
  says('names the cycle', snapshot([task('2', { dependsOn: ['5'] }), task('5', { dependsOn: ['2'] })]), '5', 'part of the cycle 2 → 5 → 2');
  says(
    'names the cycle behind it',
    snapshot([task('1', { dependsOn: ['2'] }), task('2', { dependsOn: ['5'] }), task('5', { dependsOn: ['2'] })]),
    '1',
    'waits for 2, which is part of the cycle 2 → 5 → 2',
  );
  says('tells the person’s reason', snapshot([task('1', { blocked: true, blockReason: 'needs a key' })]), '1', 'blocked: needs a key');
  says(
    'tells that a person holds it',
    snapshot([task('1', { status: 'in-progress' })]),
    '1',
    'is in-progress on the board, and no agent of furrow has it: a person holds it',
  );
  says(
    'tells who is at work',
    snapshot([task('1')], [agent('a', { free: false }), agent('b', { free: false })]),
    '1',
    'no agent is free: 2 of 2 at work',
  );
  says(
    'tells who is paused',
    snapshot([task('1')], [agent('a', { free: false }), agent('b', { paused: true })]),
    '1',
    'no agent is free: 1 of 2 at work, 1 paused',
  );
  says('tells that the farm is paused', snapshot([task('1')], [agent('a')], { paused: true }), '1', 'the farm is paused');
  says(
    'tells that the phase rests',
    snapshot([task('1')], [], { activePhases: new Set() }),
    '1',
    'nobody works on phase default (start it: furrow work)',
  );
  says(
    'tells what comes first',
    snapshot([task('1'), task('2'), task('3')]),
    '3',
    '2 of the 2 tasks before it start now and take every free agent',
  );
  const noon = new Date(2026, 0, 1, 12, 3, 4).getTime();
  says('tells until when it is held back', snapshot([task('1', { notBefore: noon })]), '1', 'waits until 12:03:04 after a crash');
});

describe('the verdict that nothing can move', () => {
  const left = (shot: DispatchSnapshot, phase?: string) =>
    stuck(shot, NOW, false, phase)?.left.map((each) => `${each.ref}: ${each.reason}`);
  it('waits for running work, the queue, back-off and whatever follows from them', () => {
    expect(left(snapshot([task('1', { standing: 'leased' })]))).toBeUndefined();
    expect(left(snapshot([task('1', { standing: 'submitted' }), task('2', { dependsOn: ['1'] })]))).toBeUndefined();
    expect(left(snapshot([task('1', { notBefore: NOW + 5 })]))).toBeUndefined();
    expect(stuck(snapshot([]), NOW, true)).toBeUndefined();
  });
  it('has nothing left when everything landed', () =>
    expect(left(snapshot([task('1', { standing: 'landed' }), task('2', { status: 'done' }), task('3', { status: 'archived' })]))).toEqual(
      [],
    ));
  it('names what is left, and why', () => {
    const tasks = [
      task('1', { blocked: true, blockReason: 'no key' }),
      task('2', { dependsOn: ['1'] }),
      task('3', { dependsOn: ['9'] }),
      task('4', { standing: 'parked' }),
    ];
    expect(left(snapshot(tasks))).toEqual([
      'default/1: blocked: no key',
      'default/2: waits for 1, which is blocked',
      'default/3: waits for 9, which does not exist',
      'default/4: parked',
    ]);
  });
  it('comes when all that could start is held for good, with what waits for it', () => {
    const tasks = [task('1'), task('2', { dependsOn: ['1'] }), task('3')];
    const held = (...ids: string[]) => left(snapshot(tasks, [], { held: ({ id }) => ids.includes(id) }))?.length;
    expect([held('1'), held('3'), held('1', '3')]).toEqual([undefined, undefined, 3]);
  });
  it('comes although an unrelated phase still works, and not while another phase works for this one', () => {
    const tasks = [task('1', { dependsOn: ['api/1'] }), task('api/1', { standing: 'leased' }), task('ui/1', { blocked: true })];
    const shot = snapshot(tasks, [], { activePhases: new Set(['default', 'ui', 'api']) });
    expect(left(shot, 'ui')).toEqual(['ui/1: blocked']);
    expect(left(shot, 'default')).toBeUndefined();
  });
});

it('planning and explaining cost as much more as there are tasks, and not the square of it', async () => {
  const spent = (count: number) => {
    const tasks = Array.from({ length: count }, (_, n) =>
      task(String(n), { dependsOn: n % 3 ? [String(n - 1)] : [], created: n % 97, priority: n % 2 ? 'high' : 'low' }),
    );
    return cost(9, () => {
      const shot = snapshot([...tasks], many(8));
      planDispatch(shot, NOW);
      explain(shot, NOW);
    });
  };
  // Measured on a busy machine: 16 ms for 5,000, 101 ms for 20,000, so 6 times as much for 4 times as many. The square would be 16.
  await spent(5000);
  expect((await spent(20_000)) / (await spent(5000))).toBeLessThan(11);
});

describe('tasks whose paths overlap what is in hand', () => {
  const inHand = [['src/a/**']];
  const overlap = globsOverlap;
  const plan = (tasks: PlanTask[], agents = [agent('x'), agent('y')]) =>
    planDispatch(snapshot(tasks, agents, { inHand, overlap }), 0).map((one) => one.task.split('/')[1]);
  const paths = (...list: string[]) => ({ paths: list });

  it('start after those that do not, and are not forgotten when nothing else is ready', () => {
    expect(plan([task('1', paths('src/a/x.ts')), task('2', paths('docs/**')), task('3')])).toEqual(['2', '3']);
    expect(plan([task('1', paths('src/a/x.ts')), task('2', paths('docs/**'))])).toEqual(['2', '1']);
  });

  it('are kept apart from each other too, also when an urgent one goes first', () => {
    const both = [task('1', paths('lib/**')), task('2', paths('lib/b.ts')), task('3', { ...paths('x'), priority: 'low' })];
    expect(plan(both)).toEqual(['1', '3']);
    const urgent = task('4', { ...paths('src/a/y.ts'), class: 'expedite' });
    expect(plan([urgent, ...both], [agent('x')])).toEqual(['4']);
  });
});
