import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { levelOf, ranked } from '../../../src/work/question/attention-order.ts';
import { QUESTION_KINDS } from '../../../src/work/question/kind.ts';

const asked = (kind: string, since = 0, expires: number | null = null) => ({ kind, since, expires });
const kindsOf = (list: readonly { kind: string }[]) => list.map(({ kind }) => kind);

describe('the attention list', () => {
  it('begins with what holds up the farm; an agent that waits comes before finished work, and that before parked tasks', () => {
    const list = ['push', 'parked', 'approval', 'permission', 'queue'].map((kind) => asked(kind));
    expect(kindsOf(ranked(list))).toEqual(['queue', 'permission', 'approval', 'parked', 'push']);
  });

  it('has what answers itself soonest before the rest of its level, and then the oldest', () => {
    const list = [asked('ask', 1), asked('permission', 9, 50), asked('question', 0), asked('permission', 8, 20)];
    expect(ranked(list)).toEqual([asked('permission', 8, 20), asked('permission', 9, 50), asked('question', 0), asked('ask', 1)]);
  });

  it('loses and adds nothing, and does not depend on the order in which it comes', () => {
    const kinds = Object.keys(QUESTION_KINDS);
    const one = fc.record({ kind: fc.constantFrom(...kinds), since: fc.nat(50), expires: fc.option(fc.nat(50)) });
    fc.assert(
      fc.property(fc.uniqueArray(one, { selector: (it) => `${levelOf(it.kind)} ${it.since} ${it.expires}` }), (list) => {
        const order = ranked(list);
        expect(ranked(list.toReversed())).toEqual(order);
        expect(new Set(order)).toEqual(new Set(list));
      }),
    );
  });

  it('knows every kind of question, and takes one that it does not know as not urgent', () => {
    expect(Object.keys(QUESTION_KINDS).filter((kind) => levelOf(kind) === undefined)).toEqual([]);
    expect(levelOf('of a later version')).toBe('upkeep');
  });
});
