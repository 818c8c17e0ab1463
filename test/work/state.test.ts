import { describe, expect, it } from 'vitest';
import { step, type WorkEvent, type WorkStanding } from '../../src/work/state.ts';

const active: WorkStanding = { state: 'active', at: 1 };
const stopping: WorkStanding = { state: 'stopping', at: 1 };
const ended: WorkStanding = { state: 'ended', at: 1 };

describe('the work on a phase', () => {
  const cases: [WorkStanding, WorkEvent, WorkStanding | undefined][] = [
    [active, { on: 'stop' }, stopping],
    [stopping, { on: 'stop' }, undefined],
    [ended, { on: 'stop' }, undefined],
    [stopping, { on: 'resumed' }, active],
    [active, { on: 'resumed' }, undefined],
    [ended, { on: 'resumed' }, undefined],
    [active, { on: 'ended', seen: active }, ended],
    [stopping, { on: 'ended', seen: stopping }, ended],
    [ended, { on: 'ended', seen: ended }, undefined],
    [active, { on: 'left' }, ended],
    [stopping, { on: 'left' }, ended],
    [ended, { on: 'left' }, undefined],
  ];
  it.each(cases)('%j by %j is %j', (from, event, to) => expect(step(from, event)).toEqual(to));

  it('is not ended by what was decided before a newer order, or before a stop or its end', () => {
    expect(step({ state: 'active', at: 2 }, { on: 'ended', seen: active })).toBeUndefined();
    expect(step(stopping, { on: 'ended', seen: active })).toBeUndefined();
    expect(step(active, { on: 'ended', seen: stopping })).toBeUndefined();
  });
});
