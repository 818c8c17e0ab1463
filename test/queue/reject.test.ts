import { describe, expect, it } from 'vitest';
import { Bench, check, entry } from './bench.ts';

/** One entry whose head has passed; nothing is known of the entry. */
function alone(settings: Partial<Bench['settings']> = {}, rest: Parameters<typeof entry>[1] = {}): Bench {
  const bench = new Bench([entry(1, rest)], { slots: 1, ...settings });
  bench.answer([], 'pass');
  bench.plan();
  return bench;
}
const purposes = (bench: Bench) => bench.plan().checks.map((one) => `${one.purpose} ${one.chain}`);

describe('a rejection', () => {
  it('needs a second red run, and a pass of the head since the first', () => {
    const bench = alone();
    const first = bench.answer([1], 'fail');
    expect(purposes(bench)).toEqual(['head ']);
    bench.answer([], 'pass');
    expect(purposes(bench)).toEqual(['confirm 1']);
    const second = bench.answer([1], 'fail');
    const plan = bench.plan();
    expect(plan.reject).toEqual([{ entry: 1, check: 'unit', tree: 'base+1', head: 'h0', runs: [first, second] }]);
    expect(plan.states).toEqual([{ entry: 1, state: 'quarantined', reason: 'fails alone on the head' }]);
  });

  it('asks the head in a slot that has nothing else to do, while the suspect is checked alone', () => {
    const bench = new Bench([entry(1), entry(2)], { slots: 2 });
    bench.notes = { ...bench.notes, groups: [{ ids: [1], trials: [] }] };
    bench.answer([], 'pass');
    expect(purposes(bench)).toEqual(['chain 2', 'confirm 1']);
    bench.settings = { ...bench.settings, slots: 3 };
    expect(purposes(bench)).toEqual(['head ']);
    bench.answer([1], 'fail');
    bench.answer([], 'pass');
    expect(purposes(bench)).toEqual(['confirm 1']);
    bench.answer([1], 'fail');
    expect(bench.plan().reject).toMatchObject([{ entry: 1 }]);
  });

  it('may follow from a second run beside the head, where a slot is free, if the head passes first', () => {
    const bench = alone({ slots: 2 });
    bench.answer([1], 'fail');
    expect(purposes(bench)).toEqual(['head ', 'confirm 1']);
    bench.answer([], 'pass');
    expect(bench.plan()).toMatchObject({ checks: [], cancel: [], reject: [] });
    bench.answer([1], 'fail');
    expect(bench.plan().reject).toMatchObject([{ entry: 1 }]);
  });

  it('is not made of a second run that ended before the head passed, and that run is not made again before', () => {
    const bench = alone({ slots: 4 });
    bench.answer([1], 'fail');
    bench.plan();
    bench.answer([1], 'fail');
    expect(bench.plan()).toMatchObject({ checks: [], cancel: [], reject: [] });
    bench.answer([], 'pass');
    expect(purposes(bench)).toEqual(['confirm 1']);
    bench.answer([1], 'fail');
    expect(bench.plan().reject).toMatchObject([{ entry: 1 }]);
  });

  it('is off with one pass', () => {
    const bench = alone({ retries: 2 });
    for (const [chain, outcome] of [
      [[1], 'fail'],
      [[], 'pass'],
      [[1], 'fail'],
      [[1], 'pass'],
    ] as const) {
      bench.answer(chain, outcome);
      expect(bench.plan().reject).toEqual([]);
    }
    expect(bench.plan().land?.entries).toEqual([1]);
  });

  it('takes any pass of the same check for a sign of health, and does not ask the head then', () => {
    const bench = alone({ slots: 1 });
    bench.answer([1], 'fail');
    bench.plan();
    bench.ran({ tree: 'elsewhere', check: 'unit' }, 'pass');
    expect(bench.plan()).toMatchObject({ cancel: [{ tree: 'base' }], checks: [{ purpose: 'confirm' }] });
    bench.answer([1], 'fail');
    expect(bench.plan().reject).toHaveLength(1);
  });

  it('does not follow from reds that were all seen while the machine was ill', () => {
    const bench = alone({ slots: 2 });
    bench.answer([1], 'fail');
    bench.answer([1], 'fail');
    expect(bench.plan()).toMatchObject({ reject: [], checks: [{ purpose: 'head' }] });
    bench.answer([], 'pass');
    expect(bench.plan()).toMatchObject({ reject: [], checks: [{ purpose: 'confirm' }] });
    bench.answer([1], 'pass');
    expect(bench.plan()).toMatchObject({ reject: [], land: { entries: [1] } });
  });

  it('counts reds on earlier heads, unless their run is forgotten', () => {
    for (const forget of [false, true]) {
      const bench = alone();
      bench.answer([1], 'fail');
      bench.plan();
      bench.answer([], 'pass');
      bench.plan();
      bench.running = [];
      bench.userCommits('u');
      bench.answer([], 'pass');
      if (forget) bench.runs = bench.runs.filter((run) => run.outcome === 'pass');
      expect(purposes(bench)).toEqual(['confirm 1']);
      bench.answer([1], 'fail');
      expect(bench.plan().reject).toHaveLength(forget ? 0 : 1);
    }
  });

  it('takes back the reds of a check that passes on a later head, though another check is red there', () => {
    const checks = [check('lint'), check('unit')];
    const bench = alone({ checks });
    bench.answer([], 'pass', 'lint');
    const red = bench.answer([1], 'fail', 'lint');
    expect(bench.plan().notes.marks).toEqual({ 1: { cleared: 0, reds: [red] } });
    bench.running = [];
    bench.userCommits('u');
    for (const { id } of checks) bench.answer([], 'pass', id);
    bench.answer([1], 'pass', 'lint');
    const other = bench.answer([1], 'fail', 'unit');
    expect(bench.plan().notes.marks).toEqual({ 1: { cleared: 0, reds: [other] } });
  });

  it('asks a head that never passed before anything red on it counts', () => {
    const bench = new Bench([entry(1)], { slots: 1 });
    bench.plan();
    bench.answer([1], 'fail');
    expect(purposes(bench)).toEqual(['head ']);
    expect(bench.notes.marks).toEqual({});
    bench.answer([], 'pass');
    bench.plan();
    expect(bench.notes.marks).toEqual({ 1: { cleared: 0, reds: [1] } });
  });

  it("does not ask the head about a task's own check, which comes last", () => {
    const own = check('own');
    const bench = alone({}, { own: [own] });
    bench.answer([1], 'pass');
    expect(bench.plan()).toMatchObject({ checks: [{ check: own }], land: undefined });
    bench.answer([1], 'fail', 'own');
    expect(purposes(bench)).toEqual(['confirm 1']);
    bench.answer([1], 'fail', 'own');
    expect(bench.plan()).toMatchObject({ reject: [{ check: 'own' }], halted: undefined });
  });

  it('lets the chain tell first whether the machine is healthy when there is one slot', () => {
    const bench = new Bench([entry(1), entry(2)], { slots: 1, batch: 1 });
    bench.answer([], 'pass');
    bench.plan();
    bench.answer([1], 'fail');
    expect(purposes(bench)).toEqual(['chain 2']);
    bench.answer([2], 'pass');
    bench.land(bench.plan().land!);
    expect(purposes(bench)).toEqual(['confirm 1']);
  });
});

describe('the line', () => {
  it('stands when the head turns red, and asks the head first when its red runs are left out', () => {
    const bench = alone();
    bench.answer([1], 'fail');
    bench.plan();
    bench.answer([], 'fail');
    expect(purposes(bench)).toEqual(['head ']);
    bench.answer([], 'fail');
    const halt = {
      halted: 'the head itself fails `unit`, before any task',
      checks: [],
      reject: [],
      land: undefined,
      cancel: [],
    };
    expect(bench.plan()).toMatchObject(halt);
    expect(bench.plan()).toMatchObject(halt);
    bench.entries.push(entry(2));
    bench.runs = bench.runs.filter((run) => run.tree !== 'base' || run.outcome === 'pass');
    expect(bench.plan()).toMatchObject({ halted: undefined, checks: [{ purpose: 'head' }] });
    expect(bench.plan()).toMatchObject({ halted: undefined, checks: [], cancel: [] });
    bench.answer([], 'pass');
    expect(purposes(bench)).not.toContain('head ');
    expect(bench.notes.doubt).toBeUndefined();
  });

  it('goes on by itself when somebody mends the head', () => {
    const bench = alone();
    bench.answer([], 'fail');
    bench.answer([], 'fail');
    expect(bench.plan().halted).toBeDefined();
    bench.running = [];
    bench.userCommits('mended');
    expect(bench.plan()).toMatchObject({ halted: undefined, checks: [{ purpose: 'chain' }] });
  });

  it('stands when a check cannot be run five times, on the head neither, and takes no error for red', () => {
    const bench = new Bench([entry(1), entry(2)], { slots: 1 });
    bench.plan();
    for (let n = 0; n < 4; n++) bench.answer([1, 2], 'error');
    expect(bench.plan()).toMatchObject({ halted: undefined, checks: [{ chain: [1, 2] }] });
    bench.answer([1, 2], 'error');
    expect(bench.plan()).toMatchObject({ halted: undefined, checks: [{ chain: [], purpose: 'head' }], states: [] });
    for (let n = 0; n < 5; n++) bench.answer([], 'error');
    const halted = 'unit could not be run on default/2 stacked on default/1, 5 times in a row';
    expect(bench.plan()).toMatchObject({ halted, checks: [], states: [] });
    bench.runs = [];
    expect(bench.plan()).toMatchObject({ halted: undefined, checks: [{ chain: [1, 2] }] });
  });

  it('goes on without an entry on which a check is killed every time, while it runs on the head', () => {
    const bench = new Bench([entry(1), entry(2)], { slots: 1 });
    bench.plan();
    const killed = (chain: number[]) => {
      for (let n = 0; n < 5; n++) bench.answer(chain, 'error');
      expect(bench.plan()).toMatchObject({ halted: undefined, checks: [{ chain: [], purpose: 'head' }] });
      bench.answer([], 'pass');
    };
    killed([1, 2]);
    expect(bench.plan()).toMatchObject({ halted: undefined, checks: [{ chain: [1], purpose: 'trial' }] });
    bench.answer([1], 'pass');
    const { land } = bench.plan();
    expect(land).toMatchObject({ entries: [1] });
    bench.land(land!);
    bench.plan();
    // Alone on the head it is the same tree as before, which counts once already.
    killed([2]);
    expect(bench.plan().reject).toMatchObject([{ entry: 2, check: 'unit' }]);
  });

  it('lands without checks only when there are none, and says so', () => {
    const bench = new Bench([entry(1), entry(2)], { checks: [] });
    expect(bench.plan().land).toEqual({ entries: [1, 2], tree: 'base+1+2', head: 'h0', unchecked: true });
  });

  it('checks cheap things first, and starts no check twice', () => {
    const bench = new Bench([entry(1)], { checks: [check('lint'), check('unit')] });
    expect(bench.plan().checks).toMatchObject([{ check: { id: 'lint' } }]);
    expect(bench.plan()).toMatchObject({ checks: [], cancel: [] });
    bench.answer([1], 'pass', 'lint');
    expect(bench.plan()).toMatchObject({ checks: [{ check: { id: 'unit' } }], land: undefined });
  });

  it('cancels what nobody wants, but nothing while paused or because there are fewer slots', () => {
    const bench = new Bench(Array.from({ length: 20 }, (_, at) => entry(at + 1)));
    bench.plan();
    bench.settings = { ...bench.settings, slots: 1 };
    expect(bench.plan()).toMatchObject({ cancel: [], checks: [] });
    bench.running.push({ tree: 'gone', check: 'unit' });
    bench.settings = { ...bench.settings, paused: true };
    expect(bench.plan()).toMatchObject({ cancel: [], checks: [], states: [], land: undefined });
    bench.settings = { ...bench.settings, paused: false };
    expect(bench.plan().cancel).toEqual([{ tree: 'gone', check: 'unit' }]);
  });

  it('does not judge an entry by a head that lacks what it needs', () => {
    const bench = new Bench([entry(1), entry(2, { after: ['default/1'] })], { batch: 1 });
    bench.headTree = 'base+9';
    bench.clashes.push([2, 9]);
    expect(bench.plan()).toMatchObject({ handback: [], checks: [{ chain: [1] }] });
    bench.answer([1], 'pass');
    bench.land(bench.plan().land!);
    expect(bench.plan().handback).toMatchObject([{ entry: 2 }]);
  });

  it('keeps an entry that cannot be merged, or is on the head already, out of the way of the others', () => {
    const bench = new Bench([entry(1), entry(2), entry(3)]);
    bench.unrelated.add(1);
    bench.headTree = 'base+3';
    expect(bench.plan()).toMatchObject({
      refuse: [{ entry: 1, reason: 'shares no history' }],
      contained: [3],
      checks: [{ chain: [2] }],
    });
  });
});

describe('the rest of a group', () => {
  it('whose part in front was green is sorted out at once, though it merged only with that part', () => {
    const bench = new Bench([1, 2, 3, 4, 5].map((id) => entry(id, { at: id === 5 ? 0 : id })));
    // 2 did what 1 does, and 3 stands on 1: without 1 they conflict.
    bench.clashes.push([3, 2, 1]);
    bench.notes = { segments: [[5]], held: [], groups: [{ ids: [1, 2, 3, 4], trials: [] }], marks: {} };
    bench.running = [{ tree: bench.tree([5]), check: 'unit' }];
    bench.answer([], 'pass');
    bench.answer([1, 2, 3, 4], 'fail');
    bench.answer([1], 'pass');
    const plan = bench.plan();
    expect(plan.notes.groups.map((group) => group.ids)).toEqual([[2, 4]]);
    expect(plan.land).toBeUndefined();
  });
});
