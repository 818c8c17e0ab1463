import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AttemptEvent, type AttemptStanding, step } from '../../../src/work/attempt/state.ts';

const becomes = (from: AttemptStanding, event: AttemptEvent, to: AttemptStanding | undefined) => () =>
  expect(step(from, event)).toEqual(to);

const starting: AttemptStanding = { state: 'starting', launch: 1 };
const running: AttemptStanding = { state: 'running', launch: 1 };
const ended: AttemptStanding = { state: 'ended', launch: 1 };

describe('an attempt', () => {
  it('runs once its process does', becomes(starting, { on: 'started' }, running));
  it('is relaunched while it runs', becomes(running, { on: 'relaunched', launch: 2 }, { state: 'starting', launch: 2 }));
  it('is not relaunched twice for the same launch', becomes({ ...running, launch: 2 }, { on: 'relaunched', launch: 2 }, undefined));
  it('is not relaunched while it starts', becomes(starting, { on: 'relaunched', launch: 2 }, undefined));
  it('ends before its process ever ran', becomes(starting, { on: 'ended' }, ended));

  const anyEvent: fc.Arbitrary<AttemptEvent> = fc.oneof(
    fc.constantFrom({ on: 'started' } as const, { on: 'ended' } as const),
    fc.record({ on: fc.constant('relaunched' as const), launch: fc.integer({ min: 1, max: 4 }) }),
  );
  it('that has ended stays ended, whatever comes late', () =>
    fc.assert(fc.property(anyEvent, (event) => step(ended, event) === undefined)));
  it('never counts its launches down, nor skips one', () =>
    fc.assert(
      fc.property(fc.array(anyEvent, { maxLength: 30 }), (events) => {
        let at = starting;
        for (const event of events) {
          const next = step(at, event) ?? at;
          expect([at.launch, at.launch + 1]).toContain(next.launch);
          at = next;
        }
      }),
    ));
});
