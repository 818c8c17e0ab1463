import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { indexTasks, taskState } from '../../../src/work/task/derive.ts';
import { cycleText, graphOf } from '../../../src/work/task/graph.ts';
import { task } from './snapshot.ts';

describe('the state of a task', () => {
  const states = (what: string, tasks: ReturnType<typeof task>[], state: string) =>
    it(what, () => expect(taskState(tasks[0]!, indexTasks(tasks))).toBe(state));
  const on = (name: string) => task('1', { dependsOn: [name] });
  states('is ready without dependencies', [task('1')], 'ready');
  states('waits for an open one', [on('2'), task('2')], 'waiting');
  states('waits for one that is only submitted', [on('2'), task('2', { standing: 'submitted', status: 'done' })], 'waiting');
  states('is ready when the other landed', [on('2'), task('2', { standing: 'landed' })], 'ready');
  states('is ready when the other is archived', [on('2'), task('2', { status: 'archived' })], 'ready');
  states('is ready when a person says the other is done', [on('2'), task('2', { status: 'done' })], 'ready');
  states('waits for one that does not exist', [on('2')], 'waiting');
  states('prefers a dependency of its own phase', [on('2'), task('2'), task('ui/2', { standing: 'landed' })], 'waiting');
  states('takes the only one of that id elsewhere', [on('2'), task('ui/2', { standing: 'landed' })], 'ready');
  states(
    'waits when several phases have that id',
    [on('2'), task('ui/2', { standing: 'landed' }), task('api/2', { standing: 'landed' })],
    'waiting',
  );
  states('takes a full ref', [on('ui/2'), task('2'), task('ui/2', { standing: 'landed' })], 'ready');
  states('is blocked by a person', [task('1', { blocked: true })], 'blocked');
  states('is held by a person', [task('1', { status: 'in-progress' })], 'leased');
  states(
    'is ready again after an attempt of ours, whatever the board still says',
    [task('1', { status: 'in-progress', attempt: 1 })],
    'ready',
  );
  states('runs on when archived under way', [task('1', { status: 'archived', standing: 'leased' })], 'leased');
});

describe('the graph', () => {
  it('names cycles, one for each knot, from the smallest id', () => {
    const tasks = [
      task('5', { dependsOn: ['10', '2'] }),
      task('2', { dependsOn: ['5'] }),
      task('10'),
      task('7', { dependsOn: ['2', '8'] }),
      task('8', { dependsOn: ['ui/1'] }),
      task('ui/1', { dependsOn: ['default/7'] }),
      task('9', { dependsOn: ['9x'] }),
      task('11', { dependsOn: ['default/11'] }),
    ];
    expect(graphOf(tasks).cycles.map(cycleText)).toEqual(['ui/1 → default/7 → default/8 → ui/1', '2 → 5 → 2', '11 → 11']);
  });

  it('has no cycle where one of its tasks has landed', () => {
    expect(graphOf([task('1', { dependsOn: ['2'] }), task('2', { dependsOn: ['1'], standing: 'landed' })]).cycles).toEqual([]);
  });

  it('walks a chain of 10,000, and a ring of as many', () => {
    const chain = Array.from({ length: 10_000 }, (_, n) => task(String(n), { dependsOn: n ? [String(n - 1)] : [] }));
    const graph = graphOf(chain);
    expect(graph.pathLength.get(chain[0]!)).toBe(10_000);
    const ring = [task('0', { dependsOn: ['9999'] }), ...chain.slice(1)];
    expect(graphOf(ring).cycles[0]).toHaveLength(10_000);
  });

  it('finds real cycles, exactly when sorting leaves something over', () => {
    const edges = fc.array(fc.tuple(fc.nat(7), fc.nat(7)), { maxLength: 14 });
    fc.assert(
      fc.property(edges, (pairs) => {
        const tasks = Array.from({ length: 8 }, (_, n) =>
          task(String(n), { dependsOn: pairs.filter(([from]) => from === n).map(([, to]) => `default/${to}`) }),
        );
        const { cycles, order } = graphOf(tasks);
        expect(cycles.length > 0).toBe(order.length < 8);
        for (const cycle of cycles) {
          cycle.forEach((each, n) => {
            expect(each.dependsOn).toContain(cycle[(n + 1) % cycle.length]!.ref);
          });
        }
      }),
      { numRuns: 1000 },
    );
  });
});
