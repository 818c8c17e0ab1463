import { describe, expect, it } from 'vitest';
import { orderOf } from '../../src/queue/order.ts';
import { budgetsOf, chainSlots, massOf, NO_MARK, riskOf } from '../../src/queue/risk.ts';
import type { QueueEntry } from '../../src/queue/snapshot.ts';
import { Bench, entry } from './bench.ts';

const none = { passes: 0, fails: 0 };
const fared = (record: typeof none, redGroups = 0, slots = 4) => ({ record, redGroups, slots });
const rounded = (numbers: readonly number[]) => numbers.map((n) => Math.round(n * 1000) / 1000);
const many = (n: number, rest: Partial<QueueEntry> = {}) => Array.from({ length: n }, (_, at) => entry(at + 1, rest));

describe('the mass of a segment', () => {
  it('is small in front and large behind', () => {
    expect(rounded(budgetsOf(4, 4))).toEqual([0.15, 0.187, 0.253, 0.4]);
    expect(rounded(budgetsOf(3, 4))).toEqual([0.187, 0.253, 0.4]);
    expect(rounded(budgetsOf(8, 8))).toEqual([0.084, 0.094, 0.107, 0.125, 0.15, 0.187, 0.253, 0.4]);
  });

  it('is larger with few slots, where each check has to tell more', () => {
    expect(budgetsOf(1, 1)).toEqual([Math.LN2]);
    expect(rounded(budgetsOf(2, 2))).toEqual([0.379, 0.6]);
  });

  it('leaves a quarter of the slots to the search for culprits', () => {
    expect([chainSlots(1, 3), chainSlots(3, 3), chainSlots(4, 0), chainSlots(4, 3), chainSlots(8, 1), chainSlots(8, 5)]).toEqual([
      1, 3, 4, 3, 7, 6,
    ]);
  });

  it('follows from how entries fared, what they touch, and what is known of them', () => {
    const risk = (record: typeof none, rest: Partial<QueueEntry> = {}, mark = NO_MARK) => riskOf(entry(1, rest), fared(record), mark);
    expect(risk(none)).toBe(0.05);
    expect(risk({ passes: 80, fails: 0 })).toBe(0.01);
    expect(risk({ passes: 100_000, fails: 0 })).toBe(0.002);
    expect(risk({ passes: 0, fails: 1000 })).toBe(0.9);
    expect(risk(none, { overlaps: 20 })).toBeGreaterThan(risk(none));
    expect(risk(none, {}, { cleared: 0, reds: [7] })).toBe(0.5);
    expect(risk({ passes: 0, fails: 1000 }, {}, { cleared: 1, reds: [] })).toBe(0.01);
    expect(massOf(1 - Math.exp(-0.4))).toBeCloseTo(0.4);
  });

  it('grows with the groups that hold an unknown culprit, with one or two slots', () => {
    const risk = (redGroups: number, slots: number) => riskOf(entry(1), fared({ passes: 9, fails: 0 }, redGroups, slots), NO_MARK);
    expect([risk(0, 1), risk(1, 1), risk(1, 2)]).toEqual([0.5 / 19, 1.5 / 20, 1.5 / 20]);
    expect(risk(1, 4)).toBe(risk(0, 4));
  });

  it('cuts a long queue of equals into 3, 4, 5 and 8, and never above the batch', () => {
    expect(new Bench(many(40)).plan().notes.segments.map((ids) => ids.length)).toEqual([3, 4, 5, 8]);
    expect(new Bench(many(40), { batch: 4 }).plan().notes.segments.map((ids) => ids.length)).toEqual([3, 4, 4, 4]);
    expect(new Bench(many(40), { batch: 1 }).plan().notes.segments).toEqual([[1], [2], [3], [4]]);
  });

  it('takes more entries than the batch with one or two slots, unless a smaller one than usual was set', () => {
    const sizes = (slots: number, batch: number) =>
      new Bench(many(60), { slots, batch, record: { passes: 2000, fails: 0 } }).plan().notes.segments.map((ids) => ids.length);
    expect(sizes(1, 8)).toEqual([32]);
    expect(sizes(2, 8)).toEqual([16, 16]);
    expect(sizes(4, 8)).toEqual([8, 8, 8, 8]);
    expect(sizes(1, 7)).toEqual([7]);
    expect(sizes(2, 1)).toEqual([1, 1]);
  });

  it('is not exceeded for a risky one, which goes into a segment with room or into an empty one', () => {
    const mixed = new Bench(many(40).map((one) => (one.id === 2 ? { ...one, overlaps: 200 } : one)));
    expect(mixed.plan().notes.segments.slice(0, 2)).toEqual([
      [1, 3, 4],
      [2, 5],
    ]);
    const bench = new Bench(many(12), { record: { passes: 0, fails: 30 } });
    expect(bench.plan().notes.segments).toEqual([[1], [2], [3], [4]]);
  });
});

describe('the order', () => {
  const ids = (entries: QueueEntry[], marks: [number, { cleared: number; reds: number[] }][] = []) =>
    orderOf(entries, fared(none), new Map(marks)).map((one) => one.id);

  it('is first come, first served, by when the task was first submitted', () => {
    expect(ids([entry(1, { at: 5 }), entry(2, { at: 3 }), entry(3, { at: 3 })])).toEqual([2, 3, 1]);
  });

  it('puts priority first, also for what a prior entry needs', () => {
    const entries = [
      entry(1),
      entry(2),
      entry(3, { after: ['default/2'] }),
      entry(4, { priority: 2, after: ['default/3'] }),
      entry(5, { priority: 1 }),
    ];
    expect(ids(entries)).toEqual([2, 3, 4, 5, 1]);
  });

  it('takes first who rides alone, last who was seen red', () => {
    expect(
      ids(many(4), [
        [1, { cleared: 0, reds: [9] }],
        [3, { cleared: 2, reds: [] }],
      ]),
    ).toEqual([3, 2, 4, 1]);
  });

  it('lets nothing starve: who was overtaken by 64 goes first, with what it needs', () => {
    const late = [entry(70, { priority: 9 }), entry(71, { priority: 9 })];
    expect(ids([entry(8), ...late])).toEqual([70, 71, 8]);
    expect(ids([entry(4, { after: ['default/8'] }), entry(8), ...late])).toEqual([4, 8, 70, 71]);
  });

  it('stacks nothing before what it needs, and behind it in the same chain', () => {
    const bench = new Bench([entry(1, { after: ['default/3'] }), entry(2), entry(3), entry(4, { after: ['default/9'] })], { slots: 1 });
    expect(bench.plan().notes.segments).toEqual([[2, 3, 1]]);
  });

  it('leaves out what does not merge with the chain until that has landed, then hands it back', () => {
    const bench = new Bench(many(4), { slots: 1 });
    bench.clashes.push([1, 3]);
    const plan = bench.plan();
    expect(plan).toMatchObject({ notes: { segments: [[1, 2, 4]] }, handback: [] });
    bench.answer([1, 2, 4], 'pass');
    bench.land(bench.plan().land!);
    expect(bench.plan().handback).toMatchObject([{ entry: 3 }]);
  });
});
