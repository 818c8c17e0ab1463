import { describe, expect, it } from 'vitest';
import { planQueue } from '../../src/queue/plan.ts';
import { cutsAt } from '../../src/queue/search.ts';
import type { QueueEntry } from '../../src/queue/snapshot.ts';
import { Bench, entry } from './bench.ts';

const many = (n: number, rest: Partial<QueueEntry> = {}) => Array.from({ length: n }, (_, at) => entry(at + 1, rest));
/** Segments 1-3, 4-7, 8-12 and 13-20 are being checked. */
function inFull(): Bench {
  const bench = new Bench(many(40));
  expect(bench.plan().checks.map((one) => one.chain.length)).toEqual([3, 7, 12, 20]);
  return bench;
}
const [TO_3, TO_7, TO_12] = [3, 7, 12].map((n) => many(n).map((one) => one.id)) as [number[], number[], number[]];
const stateOf = (plan: { states: { entry: number; state: string }[] }, id: number) => plan.states.find((one) => one.entry === id)?.state;

describe('the chain', () => {
  it('lands the longest green prefix at once, though a shorter one is open, and goes on with the same trees', () => {
    const bench = inFull();
    bench.answer(TO_7, 'pass');
    const plan = bench.plan();
    expect(plan).toMatchObject({ land: { entries: TO_7, head: 'h0', unchecked: false }, cancel: [], checks: [], stack: [] });
    bench.land(plan.land!);
    const next = bench.plan();
    expect(next.cancel.map((one) => one.tree)).toEqual(['base+1+2+3']);
    expect(next.notes.segments.slice(0, 2)).toEqual([
      [8, 9, 10, 11, 12],
      [13, 14, 15, 16, 17, 18, 19, 20],
    ]);
    expect(next.checks.map((one) => one.purpose)).toEqual(['chain', 'chain']);
  });

  it('holds a red segment behind an open one, and goes on without it', () => {
    const bench = inFull();
    const run = bench.answer(TO_7, 'fail');
    const plan = bench.plan();
    expect(plan.notes).toMatchObject({ held: [{ ids: [4, 5, 6, 7], behind: TO_3, run }], groups: [] });
    expect(plan.notes.segments[0]).toEqual(TO_3);
    expect(plan.notes.segments.flat()).not.toContain(4);
    expect(plan.states).toContainEqual({
      entry: 4,
      state: 'held',
      reason: 'on hold: checks fail with it included; entries ahead of it are still being checked',
    });
    expect(plan.cancel).toHaveLength(2);
  });

  it('keeps what a held segment waits for in front, whoever comes and whatever crashes', () => {
    const bench = inFull();
    bench.answer(TO_7, 'fail');
    bench.plan();
    bench.running = [];
    bench.entries.push(entry(99, { priority: 5 }));
    const { segments, held } = bench.plan().notes;
    expect(segments[0]).toEqual(TO_3);
    expect(segments[1]).toContain(99);
    expect(held).toHaveLength(1);
  });

  it('puts a held segment into quarantine when the part before it lands', () => {
    const bench = inFull();
    bench.answer(TO_7, 'fail');
    bench.plan();
    bench.answer(TO_3, 'pass');
    bench.land(bench.plan().land!);
    const plan = bench.plan();
    expect(plan.notes).toMatchObject({ held: [], groups: [{ ids: [4, 5, 6, 7] }] });
    expect(plan.states).toContainEqual({ entry: 7, state: 'quarantined', reason: 'one of 4 entries, at least one of which fails' });
  });

  it('releases a held segment without blame when the part before it breaks', () => {
    const bench = inFull();
    bench.answer(TO_12, 'fail');
    bench.plan();
    bench.answer(TO_7, 'fail');
    bench.entries = bench.entries.map((one) => (one.id > 7 && one.id < 13 ? { ...one, state: 'held' } : one));
    const plan = bench.plan();
    expect(plan.notes).toMatchObject({ held: [{ ids: [4, 5, 6, 7] }], groups: [] });
    expect(stateOf(plan, 4)).toBe('held');
    expect(['checking', 'queued']).toContain(stateOf(plan, 8));
  });

  it('blames the first segment of a red chain', () => {
    const bench = inFull();
    bench.answer(TO_3, 'fail');
    const plan = bench.plan();
    expect(plan.notes).toMatchObject({ held: [], groups: [{ ids: TO_3 }] });
    expect(plan.checks.map((one) => one.purpose).sort()).toEqual(['chain', 'chain', 'chain', 'trial']);
  });

  it('lets one that was cleared twice ride alone and first', () => {
    const bench = new Bench(many(16));
    bench.notes = { ...bench.notes, marks: { 6: { cleared: 2, reds: [] } } };
    const plan = bench.plan();
    expect(plan.notes.segments[0]).toEqual([6]);
    expect(plan.states.find((one) => one.entry === 6)?.reason).toBe('being checked alone, cleared twice, 1st of 4 segments');
    expect(plan.states.find((one) => one.entry === 1)?.reason).toBe('being checked with 3 others, 2nd of 4 segments');
  });
});

describe('quarantine', () => {
  const ALL = many(8).map((one) => one.id);

  it('cuts a group where its first culprit is as likely before as behind; what is green lands at once, the rest stays suspect', () => {
    const bench = new Bench(many(8), { slots: 1 });
    bench.plan();
    bench.answer(ALL, 'fail');
    expect(bench.plan().checks).toMatchObject([{ chain: [1, 2, 3], purpose: 'trial' }]);
    bench.answer([1, 2, 3], 'pass');
    const plan = bench.plan();
    expect(plan.land?.entries).toEqual([1, 2, 3]);
    expect(plan.notes.groups.map((group) => group.ids)).toEqual([[4, 5, 6, 7, 8]]);
    expect(plan.notes.marks).toEqual(Object.fromEntries([1, 2, 3].map((id) => [id, { cleared: 1, reds: [] }])));
  });

  it('cuts by risk, not by number', () => {
    expect(cutsAt([0.1, 0.1, 0.1, 0.1], 1)).toEqual([2]);
    expect(cutsAt([1, 1, 1, 1], 1)).toEqual([1]);
    expect(cutsAt([0.01, 0.01, 0.01, 0.5, 0.01], 1)).toEqual([3]);
    expect(cutsAt([0.01, 0.01, 0.01, 0.01, 0.01, 0.01], 2)).toEqual([2, 4]);
  });

  it('releases untested what stands behind a red part', () => {
    const bench = new Bench(many(8), { slots: 1 });
    bench.plan();
    bench.answer(ALL, 'fail');
    bench.plan();
    bench.answer([1, 2, 3], 'fail');
    const { notes, checks } = bench.plan();
    expect(notes.groups.map((group) => group.ids)).toEqual([[1, 2, 3]]);
    expect(checks).toMatchObject([{ chain: [1], purpose: 'trial' }]);
    expect(notes.segments.flat()).toEqual([4, 5, 6, 7, 8]);
  });

  it('trials a group at several places when slots are free', () => {
    const bench = new Bench(many(6), { slots: 4 });
    bench.notes = { ...bench.notes, groups: [{ ids: [1, 2, 3, 4, 5, 6], trials: [] }] };
    expect(bench.plan().checks.map((one) => one.chain.length)).toEqual([1, 2, 3, 5]);
  });

  it('goes on while the chain is merged anew', () => {
    const bench = inFull();
    bench.answer(TO_3, 'fail');
    bench.running = [];
    const plan = planQueue(bench.snapshot());
    expect(plan.stack).toEqual([[4, 5]]);
    expect(plan.checks).toMatchObject([{ chain: [1], purpose: 'trial' }]);
  });

  it('takes no slot of the chain while that is merged, and all that are free while only its own parts are', () => {
    const bench = new Bench(many(20), { slots: 4 });
    bench.notes = { ...bench.notes, groups: [1, 3, 5].map((id) => ({ ids: [id, id + 1], trials: [] })) };
    expect(bench.plan().checks.map((one) => one.purpose)).toEqual(['chain', 'trial', 'chain', 'trial']);
    bench.running = [];
    const known = bench.stacked.get('7,8')!;
    bench.stacked.delete('7,8');
    expect(planQueue(bench.snapshot())).toMatchObject({ stack: [[7, 8]], checks: [{ purpose: 'trial' }] });
    bench.stacked.set('7,8', known);
    bench.stacked.delete('5');
    const { stack, checks } = planQueue(bench.snapshot());
    expect(stack).toEqual([[5]]);
    expect(checks.map((one) => one.purpose)).toEqual(['chain', 'trial', 'chain', 'trial']);
  });

  it('uses what a trial says about a head that has gone', () => {
    const bench = new Bench(many(8), { slots: 1 });
    bench.plan();
    bench.answer(ALL, 'fail');
    const [trial] = bench.plan().checks;
    bench.userCommits('u');
    expect(bench.plan()).toMatchObject({ cancel: [], checks: [] });
    bench.ran({ tree: trial!.tree, check: 'unit' }, 'pass');
    expect(bench.plan().notes.groups.map((group) => group.ids)).toEqual([[4, 5, 6, 7, 8]]);
  });

  it('makes an entry wait that needs what is suspected, and one suspect that needs what has yet to land', () => {
    const bench = new Bench([entry(1), entry(2, { after: ['default/1'] }), entry(3)], { slots: 4 });
    bench.notes = { ...bench.notes, groups: [{ ids: [1], trials: [] }] };
    expect(bench.plan()).toMatchObject({ notes: { segments: [[3]] } });
    bench.notes = { ...bench.notes, groups: [{ ids: [2], trials: [] }] };
    const plan = bench.plan();
    expect(plan.notes.groups.map((group) => group.ids)).toEqual([[2]]);
    expect(plan.checks.filter((one) => one.purpose === 'confirm')).toEqual([]);
  });

  it('lands the earlier and rejects the later of two that break each other, with or without notes', () => {
    for (const forget of [false, true]) {
      const bench = new Bench(many(2), { slots: 1 });
      bench.answer([], 'pass');
      const ended: string[] = [];
      for (let steps = 0; steps < 12; steps++) {
        if (forget) bench.notes = { segments: [], held: [], groups: [], marks: {} };
        const plan = bench.plan();
        for (const { entry: id } of plan.reject) {
          ended.push(`${id} rejected`);
          bench.entries = bench.entries.filter((one) => one.id !== id);
        }
        if (plan.land) ended.push(`${plan.land.entries} landed`);
        if (plan.land) bench.land(plan.land);
        const [run] = bench.running;
        if (run) bench.ran(run, run.tree === 'base+1+2' ? 'fail' : 'pass');
      }
      expect(ended).toEqual(['1 landed', '2 rejected']);
    }
  });
});
