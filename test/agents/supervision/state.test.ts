import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentEvent } from '../../../src/agents/agent/event.ts';
import { emptySupervision, isOver, type Supervision } from '../../../src/agents/supervision/record.ts';
import { type SupervisionStep, step } from '../../../src/agents/supervision/state.ts';

const said = (event: AgentEvent, at: number, ends: 'exit' | 'turn' = 'turn'): SupervisionStep => ({
  ...{ on: 'said', source: 'hook', event, ends, at },
});
/** The record after these steps; those that do not apply change nothing. */
const recordAfter = (...steps: SupervisionStep[]) =>
  steps.reduce<Supervision>((record, one) => step(record, one) ?? record, emptySupervision(0));
const ready = said({ on: 'ready', session: 's', transcript: '/t' }, 1);
const prompt = said({ on: 'prompt', text: 'go' }, 2);
const ended = (reminder: boolean): SupervisionStep => ({
  ...{ on: 'turn-judged', last: 'all done', at: 9 },
  decision: reminder ? { do: 'go-on', why: 'reminder', text: 'commit' } : { do: 'end' },
});

describe('a record', () => {
  it('forgets the decision on a turn when the next one begins, and not before', () => {
    const judged = recordAfter(ready, prompt, ended(false));
    expect([isOver(judged), judged.turn?.last]).toEqual([true, 'all done']);
    expect(step(judged, said({ on: 'ready', session: 's' }, 10))?.turn).toEqual(judged.turn);
    expect(step(judged, prompt)?.turn).toBeNull();
  });
  it('keeps the last words of a turn that furrow answered with another one', () =>
    expect(recordAfter(prompt, ended(true), { on: 'told', text: 'commit', at: 10 })).toMatchObject({
      turn: { last: 'all done' },
      signals: { turnOpen: true, lastAt: 10 },
    }));
  it('counts reminders, and no other decision', () =>
    expect(recordAfter(ended(true), ended(true), ended(false)).interventions.reminders).toBe(2));
  it('knows the failure of an agent that ends with its turn, not its goodbye', () => {
    const failed = recordAfter(said({ on: 'turn-failed', why: 'auth', text: 'no key' }, 3));
    const goodbye: AgentEvent = { on: 'closed', reason: 'exit' };
    expect(step(failed, said(goodbye, 4, 'exit'))).toBeUndefined();
    expect(step(failed, said(goodbye, 4, 'turn'))?.signals.own?.state).toBe('stopped');
  });
  it('counts looks and nudges since the last sign of life', () => {
    const quiet = recordAfter({ on: 'looked', at: 5 }, { on: 'looked', at: 6 }, { on: 'nudged', at: 7 });
    expect(quiet.interventions).toMatchObject({ looks: 2, nudges: 1 });
    const again = [said({ on: 'prompt', text: '' }, 8), { on: 'looked', at: 9 }, { on: 'nudged', at: 10 }] as const;
    expect(again.reduce((record, one) => step(record, one)!, quiet).interventions).toMatchObject({ looks: 1, nudges: 1 });
  });
  it('counts from nothing after a recovery, and only then', () => {
    const told = recordAfter({ on: 'continued', at: 5 }, { on: 'continued', at: 6 });
    expect(told.interventions).toMatchObject({ continues: 2, continuedAt: 6 });
    expect(step(told, { on: 'recovered' })?.interventions).toMatchObject({ continues: 0, continuedAt: null });
    expect([step(recordAfter(), { on: 'recovered' }), step(recordAfter(), { on: 'settled' })]).toEqual([undefined, undefined]);
  });
});

describe('a process that is started again', () => {
  const dead = recordAfter(ready, prompt, { on: 'process-ended', halted: true, at: 20 }, { on: 'asked', condition: 'model', at: 21 });
  it('has begun nothing yet, and what furrow did for the attempt still counts', () =>
    expect(step(dead, { on: 'process-starts', sameConversation: true, at: 30 })).toMatchObject({
      signals: { startedAt: 30, turnOpen: false, session: 's', transcriptPath: '/t' },
      ...{ turn: null, ended: null, interventions: { askedFor: 'model' } },
    }));
  it('has no conversation before it has named a new one', () =>
    expect(step(dead, { on: 'process-starts', sameConversation: false, at: 30 })?.signals.session).toBeUndefined());
  it('that lost its conversation has none until it names the new one, which is kept', () => {
    const starts = step(dead, { on: 'process-starts', sameConversation: true, at: 30 })!;
    expect(step(starts, { on: 'conversation-lost' })?.signals).toMatchObject({ startedAt: 30, transcriptPath: '/t' });
    expect(step(starts, { on: 'conversation-lost' })?.signals.session).toBeUndefined();
    const named = step(starts, said({ on: 'ready', session: 'new', transcript: '/n' }, 31))!;
    expect([named.signals.session, step(named, { on: 'conversation-lost' })]).toEqual(['new', undefined]);
  });
  it('was gone from the first look that missed it', () =>
    expect([dead.ended, step(dead, { on: 'process-ended', halted: false, at: 25 })]).toEqual([{ at: 20, halted: true }, undefined]));
});

const at = fc.nat(1_000);
const anyStep: fc.Arbitrary<SupervisionStep> = fc.oneof(
  fc
    .tuple(fc.constantFrom<AgentEvent>({ on: 'prompt', text: '' }, { on: 'interrupted' }, { on: 'turn-ended', last: '' }), at)
    .map(([event, time]) => said(event, time)),
  fc.record({ on: fc.constantFrom('looked', 'nudged', 'continued', 'typed'), at }) as fc.Arbitrary<SupervisionStep>,
  fc.record({ on: fc.constant('process-ended' as const), halted: fc.boolean(), at }),
  fc.constantFrom<SupervisionStep>({ on: 'recovered' }, { on: 'settled' }, ended(true), ended(false)),
);

it('no step changes the record that it begins with', () =>
  fc.assert(
    fc.property(fc.array(anyStep), anyStep, (steps, last) => {
      const record = recordAfter(...steps);
      const before = structuredClone(record);
      step(record, last);
      expect(record).toEqual(before);
    }),
  ));
