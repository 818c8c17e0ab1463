import { describe, expect, it } from 'vitest';
import {
  type DeliveryFacts,
  forHook,
  NO_SEARCH,
  nextDelivery,
  type OpenMessage,
  planDelivery,
  type Receiver,
  RULES,
  type Search,
} from '../../../src/agents/message/plan.ts';

const message = (id: number, more: Partial<OpenMessage> = {}): OpenMessage => ({
  ...{ id, receiver: 'ada', state: 'pending', via: null, attempt: null, tries: 0, at: 0, handedAt: null },
  ...more,
});
const handed = (id: number, more: Partial<OpenMessage> = {}) =>
  message(id, { state: 'handed', via: 'keys', attempt: 5, tries: 1, handedAt: 0, text: 'our text', ...more });
const idle: Receiver = {
  ...{ agent: 'ada', attempt: 5, gone: false, ways: ['hook', 'keys'], state: 'idle', sure: true, draft: '', typedAt: null, busy: false },
};
const search = (more: Partial<Search>): [number, Search] => [1, { ...NO_SEARCH, shown: true, ...more }];
const facts = (messages: OpenMessage[], receiver: Partial<Receiver> = {}, searches: [number, Search][] = []): DeliveryFacts => ({
  ...{ messages, receivers: new Map([['ada', { ...idle, ...receiver }]]), searches: new Map(searches) },
});
const does = (at: DeliveryFacts, now = 1_000_000) => planDelivery(at, now).map((action) => `${action.do} ${action.message}`);

describe('keys are pressed only', () => {
  const types = (receiver: Partial<Receiver>, now?: number) => does(facts([message(1, { at: now ?? 1_000_000 })], receiver), now);
  it('for an idle agent with an empty line', () => expect(types({})).toEqual(['type 1']));
  it.each<[string, Partial<Receiver>]>([
    ['works', { state: 'working' }],
    ['waits for an answer', { state: 'waiting' }],
    ['may be idle', { sure: false }],
    ['has a draft in its line', { draft: 'x' }],
    ['shows no line', { draft: undefined }],
    ['has no attempt', { attempt: null }],
    ['is being told something', { busy: true }],
    ['has no way for keys', { ways: ['hook'] }],
  ])('and not for one that %s', (_what, receiver) => expect(types(receiver)).toEqual([]));
  it('when nobody has typed in its window for ten seconds, and the plan says when that is', () => {
    const at = facts([message(1, { at: 50_000 })], { typedAt: 50_000 });
    expect([does(at, 59_999), does(at, 60_000)]).toEqual([[], ['type 1']]);
    expect(nextDelivery(at, 55_000)).toBe(60_000);
  });
});

it('a connection takes a message at any time, and one after the other', () => {
  const busy = { ways: ['channel'], state: 'working', draft: 'x', typedAt: 1_000_000 } as const;
  expect(does(facts([message(1), message(2)], busy))).toEqual(['channel 1']);
  expect(does(facts([handed(1, { via: 'channel' }), message(2)], busy), 1)).toEqual([]);
});

it('what an inbox gave is waited for a minute, then it waits again; so it does when the attempt that read it is over', () => {
  const read = handed(1, { via: 'inbox', handedAt: 1_000_000 });
  expect([does(facts([read, message(2)])), nextDelivery(facts([read]), 1_000_000)]).toEqual([[], 1_060_000]);
  expect(does(facts([read]), 1_060_000)).toEqual(['return 1']);
  expect(does(facts([read], { attempt: 6 }))).toEqual(['return 1']);
});

it('a hook carries no more than twenty at once', () =>
  expect(
    forHook(
      Array.from({ length: 30 }, (_, n) => message(n + 1)),
      'ada',
    ),
  ).toHaveLength(20));

it('a hook carries all that waits, in order, but nothing past one in doubt', () => {
  expect(forHook([message(3), message(1), message(2, { receiver: 'bob' })], 'ada')).toEqual([1, 3]);
  expect(forHook([handed(1), message(3)], 'ada')).toEqual([]);
});

describe('a message in doubt', () => {
  it('gets an Enter while the line holds exactly it, by and by, and not for ever', () => {
    const stands = { draft: 'our text' };
    expect(does(facts([handed(1)], stands))).toEqual(['enter 1']);
    expect(does(facts([handed(1)], { ...stands, typedAt: 999_999 }))).toEqual([]);
    expect(does(facts([handed(1)], stands, [search({ presses: 2, looks: 2, at: 995_000 })]))).toEqual([]);
    expect(does(facts([handed(1)], stands, [search({ presses: RULES.tries })]))).toEqual(['dead 1']);
  });
  it('is searched for, and comes back only when it was not there twice, with time between', () => {
    expect(does(facts([handed(1, { handedAt: 999_999 })]))).toEqual([]);
    expect(does(facts([handed(1)]))).toEqual(['search 1']);
    expect(does(facts([handed(1)], {}, [search({ misses: 1, at: 999_000 })]))).toEqual([]);
    expect(does(facts([handed(1)], {}, [search({ misses: 1, at: 900_000 })]))).toEqual(['search 1']);
    expect(planDelivery(facts([handed(1)], {}, [search({ misses: 2 })]), 1_000_000)).toEqual([{ do: 'return', message: 1, try: 1 }]);
  });
  it('does not come back while a person may have it among their words', () => {
    for (const draft of ['our text and theirs', undefined])
      expect(planDelivery(facts([handed(1)], { draft }, [search({ misses: 2 })]), 1_000_000)).toMatchObject([
        { do: 'search', clear: false },
      ]);
  });
  it('does not come back while the agent may not have read it yet, but ends', () => {
    const stopped = (misses: number) => facts([handed(1)], {}, [search({ misses, shown: false })]);
    expect([does(stopped(2)), does(stopped(RULES.tries))]).toEqual([['search 1'], ['dead 1']]);
    const hooked = (heardAt: number) => facts([handed(1, { via: 'hook', handedAt: 500 })], { heardAt }, [search({ misses: 2 })]);
    expect([does(hooked(400)), does(hooked(600))]).toEqual([['search 1'], ['return 1']]);
    expect(does(facts([handed(1, { via: 'hook' })], { attempt: 6 }, [search({ misses: 2 })]))).toEqual(['return 1']);
  });
  it('is never typed again when nobody can tell, but ends as a dead letter', () => {
    expect(does(facts([handed(1)], {}, [search({ blind: RULES.tries })]))).toEqual(['dead 1']);
  });
});

describe('a message that cannot be delivered', () => {
  it('rests longer after each try, and is given up after the last', () => {
    const back = (tries: number) => facts([message(1, { tries, handedAt: 999_000, at: 999_000 })]);
    expect([does(back(1)), does(back(2)), nextDelivery(back(2), 1_000_000)]).toEqual([['type 1'], [], 1_001_000]);
    expect(planDelivery(back(RULES.tries), 1_000_000)).toEqual([{ do: 'dead', message: 1, reason: 'not delivered in 5 tries' }]);
  });
  it('expires visibly, and so do those behind it', () => {
    const at = facts([message(1), message(2), message(3, { at: RULES.expiryMs })], { state: 'working' });
    expect([does(at, RULES.expiryMs - 1), does(at, RULES.expiryMs)]).toEqual([[], ['dead 1', 'dead 2']]);
    expect(nextDelivery(at, 0)).toBe(RULES.expiryMs);
  });
  it('to an agent that is gone is a dead letter at once', () => {
    expect(does(facts([message(1), message(2)], { gone: true }))).toEqual(['dead 1', 'dead 2']);
  });
});
