import { describe, expect, it } from 'vitest';
import { explainEntry } from '../../src/queue/explain.ts';
import { Bench, entry } from './bench.ts';

const says = (bench: Bench, id: number) => explainEntry(bench.snapshot(), id).map((reason) => `${reason.code}: ${reason.text}`);
const many = (n: number) => Array.from({ length: n }, (_, at) => entry(at + 1));

describe('why an entry waits', () => {
  it('names what it needs', () => {
    const bench = new Bench([
      entry(1),
      entry(2, { after: ['default/1'] }),
      entry(3, { after: ['default/9'] }),
      entry(4, { state: 'rejected' }),
      entry(5, { after: ['default/4'] }),
      entry(6, { after: ['default/3'] }),
    ]);
    bench.notes = { ...bench.notes, groups: [{ ids: [1], trials: [] }] };
    bench.plan();
    expect(says(bench, 2)).toEqual(['waits-for: waits for default/1, which is in quarantine']);
    expect(says(bench, 3)).toEqual(['waits-for: waits for default/9, which was not submitted']);
    expect(says(bench, 5)).toEqual(['waits-for: waits for default/4, which has ended: rejected']);
    expect(says(bench, 6)).toEqual(['waits-for: waits for default/3, which is in the queue behind 1 entry']);
    expect(says(bench, 4)).toEqual(['ended: it has ended: rejected']);
    expect(says(bench, 7)).toEqual(['unknown: there is no entry 7']);
  });

  it('says without a segment that it is being checked, where there is one alone', () => {
    const alone = new Bench(many(1));
    alone.plan();
    expect(says(alone, 1)).toEqual(['checking: being checked alone']);
  });

  it('names its segment, who rides along and who is ahead', () => {
    const bench = new Bench(many(30));
    expect(says(bench, 5)).toEqual(['merging: is being merged onto the head']);
    bench.plan();
    expect(says(bench, 1)).toEqual(['checking: being checked with 2 others, 1st of 4 segments']);
    expect(explainEntry(bench.snapshot(), 4)).toEqual([
      {
        code: 'checking',
        text: 'being checked with 3 others, 2nd of 4 segments',
        refs: ['default/5', 'default/6', 'default/7'],
      },
      { code: 'behind', text: '3 entries ahead of it in the chain', refs: ['default/1', 'default/2', 'default/3'] },
    ]);
    expect(says(bench, 22)).toEqual(['full: the segments of the chain are full', 'behind: 21 entries ahead of it']);
    bench.answer([1, 2, 3], 'pass');
    expect(says(bench, 1)).toEqual(['landing: lands now']);
    bench.settings = { ...bench.settings, paused: true };
    expect(says(bench, 1)).toEqual(['paused: the queue is paused']);
  });

  it('names what it does not merge with', () => {
    const bench = new Bench(many(3));
    bench.clashes.push([1, 2]);
    bench.plan();
    expect(explainEntry(bench.snapshot(), 2)).toEqual([
      {
        code: 'conflict-ahead',
        text: 'does not merge with default/1 ahead of it: it waits until that has landed or left the queue',
        refs: ['default/1'],
      },
    ]);
  });

  it('names the suspicion', () => {
    const bench = new Bench(many(7));
    bench.answer([], 'pass');
    bench.plan();
    bench.answer([1, 2, 3, 4, 5, 6, 7], 'fail');
    bench.plan();
    expect(says(bench, 5)).toEqual(['held: on hold: checks fail with it included; entries ahead of it are still being checked']);
    bench.answer([1, 2, 3], 'fail');
    bench.plan();
    expect(says(bench, 1)).toEqual(['suspect: one of 3 entries, at least one of which fails']);
    bench.answer([1], 'fail');
    bench.plan();
    expect(says(bench, 1)).toEqual([
      'confirming: fails alone on the head; another check runs first to show whether the machine is healthy',
    ]);
    bench.ran({ tree: 'elsewhere', check: 'unit' }, 'pass');
    bench.plan();
    expect(says(bench, 1)).toEqual(['confirming: fails alone on the head, run again (1 of 1)']);
  });

  it('names a halt, a lone rider, and a landing without checks', () => {
    const bench = new Bench(many(2), { slots: 1 });
    bench.notes = { ...bench.notes, marks: { 1: { cleared: 2, reds: [] }, 2: { cleared: 1, reds: [] } } };
    bench.plan();
    expect(says(bench, 1)[1]).toBe('alone: checked alone: it was cleared twice, but checks still fail when it is stacked with others');
    expect(says(bench, 2)).toContain('cleared: cleared: it passes without the rest of its group');
    for (let n = 0; n < 5; n++) bench.answer([1], 'error');
    for (let n = 0; n < 5; n++) bench.answer([], 'error');
    expect(says(bench, 2)[0]).toBe('halted: queue halted: unit could not be run on default/1, 5 times in a row');
    bench.settings = { ...bench.settings, checks: [] };
    expect(says(bench, 1)).toEqual(['unchecked: lands unchecked: no checks are configured']);
  });
});
