import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { step, type TaskEvent, type TaskPosition } from '../../../src/work/task/state.ts';

const token = fc.integer({ min: 0, max: 4 });
const spoken = fc.constantFrom(
  'claimed',
  'handSubmitted',
  'submitted',
  'failed',
  'crashed',
  'stopped',
  'blocked',
  'handedBack',
  'landed',
  'unchanged',
  'requeued',
  'reverted',
  'parked',
);
const anyEvent = fc.oneof(
  { weight: 5, arbitrary: fc.record({ on: spoken, token, holder: fc.constant('calm-otter') }) as fc.Arbitrary<TaskEvent> },
  { weight: 1, arbitrary: fc.constantFrom<TaskEvent>({ on: 'retried' }, { on: 'reopened' }, { on: 'unchanged' }) },
);
const START: TaskPosition = { standing: 'open', attempt: 0 };
type Step = typeof step;

/** The machine without its token check: what the properties below must be able to catch. */
const careless: Step = (from, event) =>
  'token' in event && event.on !== 'claimed' && event.on !== 'handSubmitted'
    ? step(from, { ...event, token: from.attempt })
    : step(from, event);

const staleChangesNothing = (move: Step) =>
  fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
    let mark = START;
    for (const event of events) {
      const next = move(mark, event);
      const late = 'token' in event && event.token !== undefined && event.token < mark.attempt;
      if (late) expect(next).toBeUndefined();
      mark = next ?? mark;
    }
  });

const landedStays = (move: Step) =>
  fc.property(fc.array(anyEvent, { maxLength: 40 }), (events) => {
    let mark = START;
    for (const event of events) {
      const next = move(mark, event);
      const taken = (event.on === 'requeued' || event.on === 'reverted') && event.token === mark.attempt;
      const undone = event.on === 'reopened' || taken;
      if (mark.standing === 'landed' && !undone) expect(next).toBeUndefined();
      mark = next ?? mark;
    }
  });

describe('the standing of a task', () => {
  it('is not changed by a token that was replaced', () => fc.assert(staleChangesNothing(step), { numRuns: 1000 }));
  it('would be, without the token check: the property can fail', () =>
    expect(fc.check(staleChangesNothing(careless), { numRuns: 1000 }).failed).toBe(true));
  it('once landed stays landed, whatever arrives late', () => fc.assert(landedStays(step), { numRuns: 1000 }));

  it('never counts tokens back, and leases each only once', () =>
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 60 }), (events) => {
        let mark = START;
        const given = new Set<number>();
        for (const event of events) {
          const next = step(mark, event);
          if (!next) continue;
          expect(next.attempt).toBeGreaterThanOrEqual(mark.attempt);
          if (event.on === 'claimed') {
            expect(given.has(event.token)).toBe(false);
            given.add(event.token);
          }
          mark = next;
        }
      }),
    ));

  it('is open again when its landing is reverted, and that of a later attempt is not touched', () => {
    const landed: TaskPosition = { standing: 'landed', attempt: 2 };
    expect(step(landed, { on: 'reverted', token: 2 })).toEqual({ standing: 'open', attempt: 2 });
    expect(step(landed, { on: 'reverted', token: 1 })).toBeUndefined();
    expect(step({ standing: 'submitted', attempt: 2 }, { on: 'reverted', token: 2 })).toBeUndefined();
  });

  it('goes the usual way', () => {
    const way: TaskEvent[] = [
      { on: 'claimed', holder: 'a', token: 1 },
      { on: 'submitted', token: 1 },
      { on: 'handedBack', token: 1 },
      { on: 'claimed', holder: 'b', token: 2 },
      { on: 'submitted', token: 2 },
      { on: 'landed', token: 2 },
    ];
    expect(way.reduce<TaskPosition>((mark, event) => step(mark, event)!, START)).toEqual({ standing: 'landed', attempt: 2 });
  });
});
