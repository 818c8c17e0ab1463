import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type LandingEvent, type LandingStanding, step } from '../../../src/queue/landing/state.ts';

const anyEvent: fc.Arbitrary<LandingEvent> = fc.oneof(
  fc.nat().map((at): LandingEvent => ({ on: 'published', at })),
  fc.nat().map((at): LandingEvent => ({ on: 'removed', at })),
  fc.constant<LandingEvent>({ on: 'restored' }),
);

describe('a landing', () => {
  it('once published stays published, at the time it first was, whatever comes later', () =>
    fc.assert(
      fc.property(fc.array(anyEvent), (events) => {
        let standing: LandingStanding = { published: null, removed: null };
        let first: number | null = null;
        for (const event of events) {
          if (event.on === 'published') first ??= event.at;
          standing = step(standing, event) ?? standing;
          expect(standing.published).toBe(first);
        }
      }),
    ));

  it('is taken out and put back in turns: the second of two alike changes nothing', () => {
    const published = { published: 1, removed: null };
    const removed = step(published, { on: 'removed', at: 2 });
    expect(removed).toEqual({ published: 1, removed: 2 });
    expect(step(removed!, { on: 'removed', at: 3 })).toBeUndefined();
    expect(step(removed!, { on: 'restored' })).toEqual(published);
    expect(step(published, { on: 'restored' })).toBeUndefined();
  });
});
