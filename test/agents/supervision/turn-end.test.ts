import fc from 'fast-check';
import { expect, it } from 'vitest';
import { atTurnEnd, MAX_REMINDERS, type TurnFacts, withinTurn } from '../../../src/agents/supervision/turn-end.ts';

const done: TurnFacts = {
  missing: null,
  said: null,
  reminders: 0,
  messages: [],
  openAsks: 0,
  awaited: 0,
  owed: [],
  paused: false,
  overBudget: null,
  humanTyping: false,
  last: 'All done.',
};
const missing = 'there are uncommitted changes; commit them on the branch';
const message = { stamp: '[furrow m12]', text: 'The API has changed.' };
const decide = (facts: Partial<TurnFacts>) => atTurnEnd({ ...done, ...facts });

it('ends an attempt whose evidence is complete, also over the budget', () =>
  expect([decide({}), decide({ overBudget: 'x' })]).toEqual([{ do: 'end' }, { do: 'end' }]));
it('hands over messages first, each with its stamp once', () => {
  const marked = { stamp: '[furrow m13]', text: 'see [furrow m13] here' };
  expect(decide({ messages: [message, marked], openAsks: 1 })).toEqual({
    do: 'go-on',
    why: 'message',
    text: '[furrow m12] The API has changed.\n\nsee [furrow m13] here',
  });
});
it('says precisely what is missing, a bounded number of times', () => {
  expect(decide({ missing: `${missing}.` })).toEqual({
    do: 'go-on',
    why: 'reminder',
    text: `You ended your turn, but ${missing}. Put that right, then end your turn. If no change is needed, say why with: furrow done --no-change --reason "…"; if you cannot go on, with: furrow blocked --reason "…".`,
  });
  expect(decide({ missing, reminders: 2 })).toMatchObject({ text: expect.stringMatching(/the last reminder\.$/) });
  expect(decide({ missing, reminders: MAX_REMINDERS })).toEqual({
    do: 'question',
    reason: `it was reminded 3 times and ended its turn again, but ${missing}; its last words: All done.`,
  });
});
it('waits for an answer to what the agent asked, before it takes or misses anything', () =>
  expect([decide({ openAsks: 1 }), decide({ openAsks: 1, missing })]).toEqual([
    { do: 'wait', why: 'ask' },
    { do: 'wait', why: 'ask' },
  ]));
it('waits for a lease or a job before it reminds of anything, and takes work that is complete all the same', () =>
  expect([decide({ awaited: 1, missing }), decide({ awaited: 1 }), decide({ awaited: 1, missing, said: 'done' })]).toMatchObject([
    { do: 'wait', why: 'ask' },
    { do: 'end' },
    { do: 'go-on', why: 'reminder' },
  ]));
it('reminds of what others wait for before anything ends, with what is missing beside it', () => {
  const text = 'You ended your turn, but others wait for you:\n- ada asked you m7.';
  expect(decide({ owed: ['ada asked you m7'], openAsks: 1 })).toEqual({ do: 'go-on', why: 'owed', text });
  expect(decide({ owed: ['ada asked you m7'], missing, said: 'blocked' })).toMatchObject({ text: `${text}\nAlso, ${missing}.` });
  expect(decide({ owed: ['ada asked you m7'], messages: [message] })).toMatchObject({ why: 'message' });
  expect(decide({ owed: ['ada asked you m7'], overBudget: 'x' })).toEqual({ do: 'end' });
});
it('takes blocked for an end, whatever is missing', () => expect(decide({ said: 'blocked', missing, openAsks: 1 })).toEqual({ do: 'end' }));
it('leaves the agent to a person who types in its window', () =>
  expect([decide({ humanTyping: true }), decide({ humanTyping: true, missing })]).toEqual(Array(2).fill({ do: 'wait', why: 'human' })));
it('asks for more money only when there is more to do', () =>
  expect(decide({ missing, overBudget: 'the task has cost $5' })).toEqual({ do: 'budget', reason: 'the task has cost $5' }));

const anyFacts: fc.Arbitrary<TurnFacts> = fc.record({
  missing: fc.constantFrom(null, missing),
  said: fc.constantFrom(null, 'done' as const, 'blocked' as const),
  reminders: fc.nat(5),
  messages: fc.constantFrom([], [message]),
  openAsks: fc.nat(1),
  awaited: fc.nat(1),
  owed: fc.constantFrom([], ['ada asked you m7']),
  paused: fc.boolean(),
  overBudget: fc.constantFrom(null, 'x'),
  humanTyping: fc.boolean(),
  last: fc.string(),
});
it('never costs another turn when paused or over the budget', () =>
  fc.assert(fc.property(anyFacts, (facts) => !(facts.paused || facts.overBudget !== null) || atTurnEnd(facts).do !== 'go-on')));
it('never ends with something missing, unless it said blocked', () =>
  fc.assert(fc.property(anyFacts, (facts) => atTurnEnd(facts).do !== 'end' || facts.missing === null || facts.said === 'blocked')));

it('ends a turn that runs over the budget, and lets one that is complete have one more report to hand its work in', () => {
  const within = (facts: Partial<TurnFacts>, before = 0) => withinTurn({ ...done, overBudget: 'too much', ...facts }, before);
  expect(within({ missing })).toEqual({ do: 'budget', reason: 'too much' });
  expect(within({ missing, overBudget: null })).toBeUndefined();
  expect([within({}), within({}, 1)]).toEqual([undefined, { do: 'budget', reason: 'too much' }]);
  // It said that it is over: its grace has begun.
  expect(within({ missing, said: 'done' }, 3)).toBeUndefined();
});
