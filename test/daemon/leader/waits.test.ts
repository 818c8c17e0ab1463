import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { absentTask } from '../../../src/daemon/leader/queue/unsubmitted-needs.ts';
import { explainEntry } from '../../../src/queue/explain.ts';
import { waitsForPerson } from '../../../src/queue/waits-for-person.ts';
import { isSatisfied } from '../../../src/work/task/derive.ts';
import { type PlanTask, planDispatch } from '../../../src/work/task/dispatch.ts';
import { explain } from '../../../src/work/task/explain.ts';
import { movable, stuck } from '../../../src/work/task/stuck.ts';
import { Bench, entry } from '../../queue/bench.ts';
import { agent, snapshot, task } from '../../work/task/snapshot.ts';

const NOW = 1000;

/** A task in every way in which one can stand, alone or behind another. */
const anyTask = (id: string): fc.Arbitrary<PlanTask> =>
  fc
    .record({
      standing: fc.constantFrom('open' as const, 'leased' as const, 'submitted' as const, 'landed' as const, 'parked' as const),
      status: fc.constantFrom('todo', 'in-progress', 'review', 'done', 'archived'),
      blocked: fc.boolean(),
      blockReason: fc.constantFrom(null, 'no API yet'),
      dependsOn: fc.subarray(['1', '2', '3', 'nowhere']),
      notBefore: fc.constantFrom(0, NOW + 5000),
      missing: fc.constantFrom(null, NOW - 1),
      reworking: fc.boolean(),
      attempt: fc.nat(2),
      phase: fc.constantFrom('default', 'later'),
    })
    .map(({ phase, ...more }) => task(`${phase}/${id}`, more));

const board = fc.tuple(anyTask('1'), anyTask('2'), anyTask('3'));
const farm = fc.record({ paused: fc.boolean(), free: fc.boolean(), agentPaused: fc.boolean(), active: fc.boolean(), held: fc.boolean() });

describe('whatever a task waits for', () => {
  it('it starts now, or there is a sentence for it; and a phase that cannot move ends with a sentence for all that is left', () => {
    fc.assert(
      fc.property(board, farm, (tasks, { paused, free, agentPaused, active }) => {
        const shot = snapshot(tasks, [agent('a', { free, paused: agentPaused })], {
          paused,
          activePhases: new Set(active ? ['default'] : []),
        });
        const starting = new Set(planDispatch(shot, NOW).map((one) => one.task));
        const reasons = explain(shot, NOW);
        for (const one of tasks) {
          if (one.standing === 'leased' || isSatisfied(one) || starting.has(one.ref)) continue;
          expect(reasons.get(one.ref)?.map((reason) => reason.text.trim())).toEqual([
            expect.stringMatching(/./),
            ...(reasons.get(one.ref) ?? []).slice(1).map(() => expect.stringMatching(/./)),
          ]);
        }
        for (const { reason } of stuck(shot, NOW, false)?.left ?? []) expect(reason).not.toBe('');
      }),
      { numRuns: 500 },
    );
  });
});

describe('whatever an entry waits for', () => {
  it('it is told how that stands; and when nobody works on it, what a person can type', () => {
    fc.assert(
      fc.property(board, farm, (tasks, { active, held }) => {
        const [needed] = tasks;
        fc.pre(!isSatisfied(needed));
        const shot = snapshot(tasks, [], { activePhases: new Set(active ? ['default'] : []), held: () => held });
        const moves = movable(shot).has(needed);
        const absent = absentTask(shot, needed, moves, held ? 'its agent kind is unknown' : undefined);
        expect([absent.is, absent.next]).toEqual([expect.stringMatching(/\S/), expect.stringMatching(/^furrow /)]);
        // Somebody works on it, a person or an agent, or an agent will: nothing else comes by itself.
        const worked = needed.standing === 'leased' || needed.standing === 'submitted' || moves;
        if (absent.comes && !worked) expect(absent.is).toContain('a person has it');
        if (worked && !needed.blocked) expect(absent.comes).toBe(true);

        const bench = new Bench([entry(8, { after: [needed.ref] }), entry(9, { after: ['default/8'] })]);
        const queue = { ...bench.snapshot(), absent: new Map([[needed.ref, absent]]) };
        const [reason] = explainEntry(queue, 8);
        expect(reason?.text).toContain(`waits for 1, which ${absent.is}`);
        expect([...waitsForPerson(queue).keys()].sort()).toEqual(absent.comes ? [] : [8, 9]);
        if (!absent.comes) expect(reason).toMatchObject({ code: 'waits-for', text: expect.stringContaining(absent.next) });
      }),
      { numRuns: 500 },
    );
  });
});
