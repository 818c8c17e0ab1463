import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { EntryState } from '../../../src/journal/rows/entry.ts';
import { type EntryEvent, ended, step, towards } from '../../../src/work/entry/state.ts';

const events: EntryEvent['on'][] = ['picked', 'suspected', 'held', 'released', 'landed', 'conflicted', 'rejected', 'refused', 'cancelled'];
const anyEvents = fc.array(fc.constantFrom(...events).map((on): EntryEvent => ({ on })));

describe('an entry', () => {
  it('ends exactly once, whatever arrives late', () =>
    fc.assert(
      fc.property(anyEvents, (sequence) => {
        let state: EntryState = 'queued';
        let ends = 0;
        for (const event of sequence) {
          const next = step(state, event);
          if (next && ended(next)) ends++;
          state = next ?? state;
        }
        expect(ends).toBe(ended(state) ? 1 : 0);
      }),
    ));

  it('is rejected only out of quarantine', () => {
    for (const state of ['queued', 'checking', 'held'] as const) expect(step(state, { on: 'rejected' })).toBeUndefined();
    expect(step('quarantined', { on: 'rejected' })).toBe('rejected');
  });

  it('reaches every state a plan can name by the event for it', () => {
    for (const state of ['checking', 'held', 'quarantined', 'conflict', 'landed', 'cancelled'] as const)
      expect(step('queued', towards(state))).toBe(state);
    expect(step('checking', towards('queued'))).toBe('queued');
    expect(step('quarantined', towards('rejected'))).toBe('rejected');
  });
});
