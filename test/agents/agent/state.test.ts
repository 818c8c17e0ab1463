import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type AgentStanding, type AgentStep, step } from '../../../src/agents/agent/state.ts';

const at = (state: AgentStanding['state'], attempt: number | null = null): AgentStanding => ({ state, attempt });

const becomes = (from: AgentStanding, event: AgentStep, to: AgentStanding | undefined) => () => expect(step(from, event)).toEqual(to);

describe('an agent', () => {
  it('that is free takes an attempt', becomes(at('idle'), { on: 'taken', attempt: 3 }, at('starting', 3)));
  it('that is stopped takes none', becomes(at('stopped'), { on: 'taken', attempt: 3 }, undefined));
  it('works once its process runs', becomes(at('starting', 3), { on: 'started', attempt: 3 }, at('working', 3)));
  it('that is being stopped does not work because its process runs', becomes(at('stopping', 3), { on: 'started', attempt: 3 }, undefined));
  it('is free when its attempt has ended', becomes(at('working', 3), { on: 'freed', attempt: 3 }, at('idle')));
  it('is stopped when its attempt has ended after a stop', becomes(at('stopping', 3), { on: 'freed', attempt: 3 }, at('stopped')));
  it('is not freed by the end of another attempt', becomes(at('working', 4), { on: 'freed', attempt: 3 }, undefined));
  it('without an attempt is stopped at once', becomes(at('idle'), { on: 'stop' }, at('stopped')));
  it('at work is stopped when its attempt has ended', becomes(at('starting', 3), { on: 'stop' }, at('stopping', 3)));
  it('whose stop is taken back goes on', becomes(at('stopping', 3), { on: 'wanted' }, at('working', 3)));
  it('that is wanted after a stop is free', becomes(at('stopped'), { on: 'wanted' }, at('idle')));
  it('that is resumed keeps being stopped while its attempt ends', becomes(at('stopping', 3), { on: 'resumed' }, undefined));
  it('at work is not dismissed', becomes(at('working', 3), { on: 'dismissed' }, undefined));
  it('that is free is dismissed', becomes(at('idle'), { on: 'dismissed' }, at('stopped')));

  const attempt = fc.integer({ min: 1, max: 3 });
  const anyStep = fc.oneof(
    fc.record({ on: fc.constantFrom('taken' as const, 'started' as const, 'freed' as const), attempt }),
    fc.record({ on: fc.constantFrom('stop' as const, 'wanted' as const, 'resumed' as const, 'dismissed' as const) }),
  );
  it('has an attempt exactly while it starts, works or is being stopped, whatever comes in whatever order', () =>
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 30 }), (steps) => {
        const end = steps.reduce((standing, event) => step(standing, event) ?? standing, at('idle'));
        expect(end.attempt !== null).toBe(['starting', 'working', 'stopping'].includes(end.state));
      }),
    ));
});
