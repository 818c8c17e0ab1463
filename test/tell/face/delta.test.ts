import fc from 'fast-check';
import { expect, it } from 'vitest';
import { applyDelta, deltaOf, type Known, type Pieces, piecesOf } from '../../../src/tell/face/delta.ts';
import type { View } from '../../../src/tell/face/view.ts';

const name = fc.constantFrom('1', '2', '3', '__proto__', 'constructor');
const words = fc.string({ maxLength: 4 });

/** Items as far as their keys and one field that changes go. */
const view = fc.record({
  seq: fc.nat(),
  status: fc.record({ inbox: fc.nat(3) }),
  queue: fc.record({ slots: fc.nat(3) }),
  problems: fc.array(words, { maxLength: 2 }),
  agents: fc.uniqueArray(fc.record({ name, says: words }), { selector: (one) => one.name }),
  tasks: fc.array(fc.record({ phase: name, id: name, title: words }), { maxLength: 5 }),
  attention: fc.uniqueArray(fc.record({ id: name, reason: words }), { selector: (one) => one.id }),
  entries: fc.array(fc.record({ phase: name, task: name, attempt: fc.nat(1), sha: name, state: words }), { maxLength: 5 }),
  landings: fc.uniqueArray(fc.record({ commit: name, published: fc.boolean() }), { selector: (one) => one.commit }),
}) as unknown as fc.Arbitrary<View>;

it('a face that gets the deltas has the view, after any history', () => {
  fc.assert(
    fc.property(fc.array(view, { minLength: 1, maxLength: 6 }), (history) => {
      let before: Pieces | undefined;
      let known: Known | undefined;
      for (const now of history) {
        const after = piecesOf(now);
        const delta = deltaOf(before, after);
        if (delta) known = applyDelta(known, JSON.parse(JSON.stringify({ seq: now.seq, events: [], ...delta })));
        before = after;
        expect(JSON.parse(JSON.stringify({ ...known!.view, seq: now.seq }))).toEqual(JSON.parse(JSON.stringify(now)));
      }
    }),
    { numRuns: 300 },
  );
});

it('says nothing when nothing changed, and one item when one did', () => {
  const agent = (says: string) => ({ name: 'a-1', says });
  const empty = { seq: 1, status: {}, queue: {}, problems: [], tasks: [], attention: [], entries: [], landings: [] };
  const of = (...agents: unknown[]) => piecesOf({ ...empty, agents } as unknown as View);
  expect(deltaOf(of(agent('x')), of(agent('x')))).toBeUndefined();
  expect(deltaOf(of({ name: 'b-2' }, agent('x')), of({ name: 'b-2' }, agent('y')))).toEqual({
    lists: { agents: { set: { 'a-1': agent('y') } } },
  });
});

it('refuses a delta of another view', () => {
  expect(() => applyDelta(undefined, { seq: 1, events: [], lists: { agents: { set: {}, order: ['a-1'] } } })).toThrow('a-1');
});
