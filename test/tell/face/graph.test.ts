import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { layout } from '../../../src/tell/face/graph.ts';

const places = (items: Record<string, string[]>) =>
  Object.fromEntries(
    layout(Object.entries(items).map(([id, after]) => ({ id, after }))).nodes.map(({ id, layer, row }) => [id, [layer, row]]),
  );

describe('the picture of what waits for what', () => {
  it('has a column for each step of the longest way', () => {
    expect(places({ a: [], b: ['a'], c: ['b', 'a'] })).toEqual({ a: [0, 0], b: [1, 0], c: [2, 0] });
  });

  it('puts things beside what they wait for, so that lines do not cross', () => {
    const { a, b, x, y } = places({ a: [], b: [], x: ['b'], y: ['a'] });
    expect(Math.sign(a![1]! - b![1]!)).toBe(Math.sign(y![1]! - x![1]!));
  });

  it('leaves out what stands alone, and says how many', () => {
    const { nodes, alone } = layout([
      { id: 'a', after: [] },
      { id: 'b', after: ['gone'] },
    ]);
    expect([nodes, alone]).toEqual([[], 2]);
  });

  it('of a circle or of itself is drawn all the same', () => {
    expect(Object.keys(places({ a: ['b', 'a'], b: ['a'] }))).toHaveLength(2);
  });

  it('of a chain of 5,000 is drawn too', () => {
    const items = Array.from({ length: 5000 }, (_, n) => ({ id: `${n}`, after: n > 0 ? [`${n - 1}`] : [] })).toReversed();
    expect(layout(items).layers).toBe(5000);
  });

  it('has every line from a lower column to a higher one, and no two things in one place', () => {
    const graphs = fc.array(fc.array(fc.nat(40), { maxLength: 4 }), { maxLength: 40 });
    fc.assert(
      fc.property(graphs, (all) => {
        const items = all.map((after, n) => ({ id: `${n}`, after: after.filter((on) => on < n).map(String) }));
        const { nodes, edges, alone } = layout(items);
        for (const { from, to } of edges) expect(from.layer).toBeLessThan(to.layer);
        expect(new Set(nodes.map(({ layer, row }) => `${layer} ${row}`)).size).toBe(nodes.length);
        expect(nodes.length + alone).toBe(items.length);
      }),
    );
  });
});
