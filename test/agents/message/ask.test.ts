import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Addressee, groupNamed } from '../../../src/agents/message/address.ts';
import { type AskEvent, nextDeadline, type OpenAsk, planAsks, stepAsk } from '../../../src/agents/message/ask.ts';
import { receiptOf } from '../../../src/agents/message/receipt.ts';

const ask = (more: Partial<OpenAsk> = {}): OpenAsk => ({ id: 1, receiver: 'bob', readBy: null, askedBy: 5, deadline: 100, ...more });

describe('an open question', () => {
  const ends = (one: OpenAsk, running: number[], now = 50) => planAsks([one], new Set(running), now).map(({ event }) => event.on);
  it.each<[string, OpenAsk, number[], number, string[]]>([
    ['waits while both are at work and there is time', ask({ readBy: 7 }), [5, 7], 99, []],
    ['waits for a receiver that has no attempt yet', ask(), [5], 99, []],
    ['of a person waits without a deadline', ask({ askedBy: null, deadline: null }), [], 1e9, []],
    ['expires at its deadline', ask({ readBy: 7 }), [5, 7], 100, ['expired']],
    ['goes back when the attempt that read it has ended', ask({ readBy: 7 }), [5], 50, ['unanswered']],
    ['is withdrawn when the attempt that asked has ended', ask({ readBy: 7 }), [7], 200, ['withdrawn']],
  ])('%s', (_what, one, running, now, said) => expect(ends(one, running, now)).toEqual(said));

  it('says when time alone changes it', () => {
    expect(nextDeadline([ask(), ask({ deadline: 70 }), ask({ deadline: null })])).toBe(70);
    expect(nextDeadline([ask({ deadline: null })])).toBeUndefined();
  });

  it('has exactly one end', () =>
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom<AskEvent['on']>('answered', 'declined', 'expired', 'unanswered', 'withdrawn', 'dead')),
        (events) => {
          let state: ReturnType<typeof stepAsk> = 'open';
          for (const on of events) state = stepAsk(state!, { on }) ?? state;
          expect(state).toBe(events[0] ?? 'open');
          expect(stepAsk(null, { on: 'answered' })).toBeUndefined();
        },
      ),
    ));
});

it('a receipt is the furthest that is known', () => {
  expect([
    receiptOf({ state: 'pending', ask: null }),
    receiptOf({ state: 'handed', ask: 'open' }),
    receiptOf({ state: 'delivered', ask: 'open' }),
    receiptOf({ state: 'delivered', ask: 'answered' }),
    receiptOf({ state: 'dead', ask: 'dead' }),
  ]).toEqual(['queued', 'delivered', 'seen', 'answered', 'dead']);
});

describe('a group', () => {
  const one = (name: string, phase: string, kind: string, state = 'idle'): Addressee => ({ name, phase, kind, state });
  const agents = [one('ada', 'api', 'claude'), one('bob', 'api', 'codex'), one('cy', 'web', 'claude'), one('dee', 'web', 'web', 'stopped')];
  const ada = { name: 'ada', phase: 'api' };
  it.each<[string, string[]]>([
    ['@all', ['bob', 'cy']],
    ['@phase', ['bob']],
    ['@api', ['bob']],
    ['@claude', ['cy']],
    ['claude', ['cy']],
  ])('%s is everybody in it that is not stopped, but the sender', (word, names) =>
    expect(groupNamed(word, agents, ada)).toEqual({ names }),
  );

  it('that is nobody, unknown, or two things at once is refused, and a plain name is no group', () => {
    expect(groupNamed('@web', agents, ada)).toEqual({ problem: 'web is a phase and a kind of agents; name the agents' });
    expect(groupNamed('@nobody', agents, ada)).toEqual({ problem: 'there is no phase and no kind of agents called nobody' });
    expect(groupNamed('@codex', agents, { name: 'bob', phase: 'api' })).toEqual({ problem: 'nobody else is in the group @codex' });
    expect(groupNamed('@phase', agents, { name: 'human', phase: null })).toHaveProperty('problem');
    expect(groupNamed('bob', agents, ada)).toBeUndefined();
  });
});
