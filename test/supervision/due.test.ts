import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Derived } from '../../src/supervision/derive.ts';
import { type CareAction, type CaredAgent, nextCare, planCare, STUCK_MS } from '../../src/supervision/due.ts';

const working: Derived = { state: 'working', detail: null, text: null, since: 0, until: null, sure: true };
const base: CaredAgent = {
  attempt: 7,
  agent: 'ada',
  provider: 'anthropic',
  ends: 'turn',
  resumes: true,
  speaks: true,
  derived: working,
  lastSignal: 0,
  listened: 0,
  started: 0,
  launches: 1,
  looks: 0,
  lookedAt: null,
  screen: null,
  draft: null,
  nudges: 0,
  nudgedAt: null,
  continues: 0,
  continuedAt: null,
  asked: false,
  askedFor: null,
  askedAt: null,
  paused: false,
  humanAt: null,
  turnOpen: true,
  requests: 0,
  openAsks: 0,
  exited: false,
  endedAt: null,
  crashedQuick: false,
  session: 's',
};
const MINUTE = 60_000;
const care = (agent: Partial<CaredAgent>, derived: Partial<Derived>, now: number) =>
  planCare([{ ...base, ...agent, derived: { ...working, ...derived } }], now).map(
    ({ attempt: _, ...action }) => action as Omit<CareAction, 'attempt'>,
  );
const does = (agent: Partial<CaredAgent>, derived: Partial<Derived>, now: number) => care(agent, derived, now).map((action) => action.do);

describe('an agent of which nothing is heard', () => {
  const looked = { looks: 2, lookedAt: STUCK_MS, screen: 'idle' as const };
  it('is left alone for ten minutes, then looked at twice', () => {
    expect([does({}, {}, STUCK_MS - 1), does({}, {}, STUCK_MS)]).toEqual([[], ['look']]);
    const once = { looks: 1, lookedAt: STUCK_MS };
    expect([does(once, {}, STUCK_MS + 2_999), does(once, {}, STUCK_MS + 3_000)]).toEqual([[], ['look']]);
  });
  it('is nudged once, then asked about, then given up', () => {
    expect(does(looked, {}, STUCK_MS + 5_000)).toEqual(['nudge']);
    const nudged = { ...looked, nudges: 1, nudgedAt: STUCK_MS + 5_000 };
    expect([does(nudged, {}, STUCK_MS + 10_000), does(nudged, {}, STUCK_MS + 5_000 + 2 * MINUTE)]).toEqual([[], ['ask']]);
    const asked = { ...nudged, asked: true, askedFor: 'stuck', askedAt: 800_000 };
    expect([does(asked, {}, 900_000), does(asked, {}, 800_000 + 60 * MINUTE)]).toEqual([[], ['give-up']]);
  });
  it('is not typed at when its screen works, waits, or holds a draft, nor when it ends by its exit', () => {
    const others = [
      { ...looked, screen: 'waiting' as const },
      { ...looked, draft: 'half a' },
      { ...looked, ends: 'exit' as const },
    ];
    expect(others.map((agent) => does(agent, {}, STUCK_MS + 5_000))).toEqual([['ask'], ['ask'], ['ask']]);
    const busy = { ...looked, screen: 'working' as const };
    expect([does(busy, {}, STUCK_MS + 5_000), does(busy, {}, 2 * STUCK_MS), does(busy, {}, 6 * STUCK_MS)]).toEqual([[], ['look'], ['ask']]);
  });
  it('is looked at half a minute after its last word, when it may have spoken to a daemon that was away', () => {
    const missed = { listened: 20_000 };
    expect([does(missed, {}, 29_999), does(missed, {}, 30_000), does(missed, { state: 'starting' }, 30_000)]).toEqual([[], ['look'], []]);
    const once = { ...missed, looks: 1, lookedAt: 30_000 };
    expect([does(once, {}, 32_999), does(once, {}, 33_000)]).toEqual([[], ['look']]);
    const twice = { ...missed, looks: 2, lookedAt: 33_000, screen: 'idle' as const };
    expect([does(twice, {}, STUCK_MS - 1), does(twice, {}, STUCK_MS)]).toEqual([[], ['look']]);
    expect(does({ ...missed, lastSignal: 25_000 }, {}, 60_000)).toEqual([]);
  });
  it('is fine when its driver has no signals, or it waits for a reply', () =>
    expect([does({ speaks: false }, {}, 1e9), does({ openAsks: 1 }, { state: 'idle', detail: 'turn-ended' }, 1e9)]).toEqual([[], []]));
  it('is asked about when it does not come up, without a key pressed', () => {
    expect([does({}, { state: 'starting' }, 2 * MINUTE - 1), does({}, { state: 'starting' }, 2 * MINUTE)]).toEqual([[], ['look']]);
    expect(does(looked, { state: 'starting' }, STUCK_MS)).toEqual(['ask']);
  });
});

describe('an agent that waits', () => {
  it('is never nudged: its request is a question already', () =>
    expect(does({}, { state: 'waiting', detail: 'permission' }, 1e9)).toEqual([]));
  it('in a dialog that only the screen shows is a question', () =>
    expect([
      does({}, { state: 'waiting', detail: 'permission', sure: false }, 5),
      does({ requests: 1 }, { state: 'waiting', detail: 'permission', sure: false }, 5),
    ]).toEqual([['ask'], []]));
  it.each(['auth', 'login', 'trust'])('for a person at %s is a question at once, and only once', (detail) => {
    const derived = { state: 'waiting' as const, detail, text: 'Invalid API key' };
    expect(care({}, derived, 1)).toMatchObject([
      { do: 'ask', condition: detail, reason: expect.stringContaining('Invalid API key'), giveUpMs: null },
    ]);
    expect([
      does({ asked: true, askedFor: detail, askedAt: 1 }, derived, 1e9),
      does({ asked: true, askedFor: 'stuck', askedAt: 1 }, derived, 2),
    ]).toEqual([[], ['ask']]);
  });
  it('because a person stopped it gets no text, and a question after a while', () => {
    const stopped = { state: 'idle' as const, detail: 'interrupted' };
    expect([does({ turnOpen: false }, stopped, STUCK_MS - 1), does({ turnOpen: false }, stopped, STUCK_MS)]).toEqual([[], ['ask']]);
  });
});

describe('an agent without a model', () => {
  const limit = { state: 'limited' as const, detail: 'limit', until: 100_000 };
  it('goes on when the limit has passed, one after the other', () => {
    const two = [7, 8].map((attempt) => ({ ...base, attempt, turnOpen: false, derived: { ...working, ...limit } }));
    const at = (now: number) => planCare(two, now).map((action) => [action.attempt, action.do]);
    expect([at(104_999), at(105_000), at(108_000)]).toEqual([
      [],
      [[7, 'continue']],
      [
        [7, 'continue'],
        [8, 'continue'],
      ],
    ]);
    expect(nextCare(two, 105_000)).toBe(108_000);
  });
  it('is told again with longer and longer pauses, and at last asked about', () => {
    const failed = { turnOpen: false, lastSignal: 0, continues: 2, continuedAt: 0 };
    const overloaded = { state: 'limited' as const, detail: 'overloaded' };
    expect([does(failed, overloaded, 4 * MINUTE - 1), does(failed, overloaded, 4 * MINUTE)]).toEqual([[], ['continue']]);
    const again = { turnOpen: false, continues: 1, continuedAt: 200_000 };
    expect([does(again, limit, 200_000 + MINUTE - 1), does(again, limit, 200_000 + MINUTE)]).toEqual([[], ['continue']]);
    expect(does({ ...failed, continues: 8 }, overloaded, 5)).toEqual(['ask']);
    expect(does({ ...failed, continues: 3 }, { state: 'idle', detail: 'error' }, 5)).toEqual(['ask']);
  });
  it('that tries by itself is not stuck before its time and ten minutes', () => {
    const retrying = { state: 'limited' as const, detail: 'retrying', until: 50 * MINUTE };
    expect([does({}, retrying, 59 * MINUTE), does({ lastSignal: 55 * MINUTE }, { ...retrying, since: 0 }, 60 * MINUTE)]).toEqual([
      [],
      ['ask'],
    ]);
    expect(does({ lastSignal: MINUTE }, { ...retrying, until: null }, 11 * MINUTE)).toEqual(['look']);
  });
  it('whose context is full goes on in a fresh conversation, on its own word only', () => {
    const full = { state: 'idle' as const, detail: 'context' };
    expect(care({ turnOpen: false }, full, 9)).toEqual([{ do: 'relaunch', how: 'fresh', why: 'context', notBefore: 0 }]);
    expect([does({ launches: 4 }, full, 9), does({}, { ...full, sure: false }, 9)]).toEqual([['ask'], ['ask']]);
  });
});

describe('a process that is gone', () => {
  const dead = { state: 'dead' as const };
  it('is started again with its conversation, after 0, 5, 20 s, and given up after four starts', () => {
    const starts = [1, 2, 3, 4].map((launches) => care({ launches, endedAt: 1_000 }, dead, 1_000)[0]);
    expect(starts).toEqual([
      { do: 'relaunch', how: 'resume', why: 'died', notBefore: 1_000 },
      { do: 'relaunch', how: 'resume', why: 'died', notBefore: 6_000 },
      { do: 'relaunch', how: 'resume', why: 'died', notBefore: 21_000 },
      { do: 'give-up', reason: 'its process ended 4 times' },
    ]);
  });
  it('names the time of its next start', () => {
    const second = { ...base, launches: 2, endedAt: 1_000, derived: { ...working, ...dead } };
    expect([nextCare([second], 1_000), nextCare([second], 6_000)]).toEqual([6_000, undefined]);
  });
  it('gets more time when it died at once, and a fresh conversation when that was of no use', () =>
    expect([1, 2, 3].map((launches) => care({ launches, endedAt: 0, crashedQuick: true }, dead, 0)[0])).toMatchObject([
      { how: 'resume', notBefore: 5_000 },
      { how: 'fresh', notBefore: 20_000 },
      { how: 'fresh', notBefore: 60_000 },
    ]));
  it('without a conversation begins a fresh one', () => expect(care({ session: null }, dead, 0)).toMatchObject([{ how: 'fresh' }]));
  it('is judged by what it left when it ends by its exit, or cannot be gone on with', () =>
    expect([does({ resumes: false }, dead, 9), does({ ends: 'exit', exited: true }, dead, 9), does({ ends: 'exit' }, dead, 9)]).toEqual([
      [],
      [],
      ['relaunch'],
    ]));
});

const anyDerived: fc.Arbitrary<Derived> = fc.record({
  state: fc.constantFrom('starting', 'idle', 'working', 'waiting', 'limited', 'stopped', 'dead', 'unknown'),
  detail: fc.constantFrom(null, 'permission', 'interrupted', 'retrying', 'auth', 'limit', 'context', 'login', 'error', 'turn-ended'),
  text: fc.constant(null),
  since: fc.nat(1_000),
  until: fc.option(fc.nat(5_000_000)),
  sure: fc.boolean(),
});
const time = fc.option(fc.nat(2_000_000));
const anyAgent: fc.Arbitrary<CaredAgent> = fc.record({
  attempt: fc.nat(9),
  agent: fc.constant('ada'),
  provider: fc.constantFrom(null, 'anthropic'),
  ends: fc.constantFrom('exit', 'turn'),
  resumes: fc.boolean(),
  speaks: fc.boolean(),
  derived: anyDerived,
  lastSignal: fc.nat(1_000_000),
  listened: fc.nat(2_000_000),
  started: fc.nat(1_000),
  launches: fc.integer({ min: 1, max: 5 }),
  looks: fc.nat(3),
  lookedAt: time,
  screen: fc.constantFrom(null, 'idle', 'working', 'waiting', 'unknown'),
  draft: fc.constantFrom(null, '', 'x'),
  nudges: fc.nat(2),
  nudgedAt: time,
  continues: fc.nat(9),
  continuedAt: time,
  asked: fc.boolean(),
  askedFor: fc.constantFrom(null, 'stuck', 'auth'),
  askedAt: time,
  paused: fc.boolean(),
  humanAt: time,
  turnOpen: fc.boolean(),
  requests: fc.nat(1),
  openAsks: fc.nat(1),
  exited: fc.boolean(),
  endedAt: time,
  crashedQuick: fc.boolean(),
  session: fc.constantFrom(null, 's'),
});
const now = fc.nat(6_000_000);
const hard = (action: CareAction) => action.do === 'relaunch' || action.do === 'give-up';
const types = (action: CareAction) => action.do === 'nudge' || action.do === 'continue';
const always = (holds: (agent: CaredAgent, actions: CareAction[], at: number) => boolean) =>
  fc.assert(
    fc.property(anyAgent, now, (agent, at) => holds(agent, planCare([agent], at), at)),
    { numRuns: 1_000 },
  );

describe('whatever is seen', () => {
  it('what is not known is neither ended nor started again', () =>
    always(({ derived }, actions) => (derived.sure && derived.state !== 'unknown') || derived.state === 'dead' || !actions.some(hard)));
  it('a person who typed a minute ago, or paused it, is not disturbed', () =>
    always((agent, actions, at) => !(agent.paused || (agent.humanAt !== null && at < agent.humanAt + MINUTE)) || actions.length === 0));
  it('an agent that waits is not typed at', () => always(({ derived }, actions) => derived.state !== 'waiting' || !actions.some(types)));
  it('there is one action at most, and the same until the time that was named', () =>
    fc.assert(
      fc.property(anyAgent, now, fc.nat(1_000_000), (agent, at, later) => {
        const next = nextCare([agent], at) ?? Number.POSITIVE_INFINITY;
        fc.pre(at + later < next);
        expect(planCare([agent], at + later)).toEqual(planCare([agent], at));
        expect(planCare([agent], at).length).toBeLessThan(2);
      }),
      { numRuns: 1_000 },
    ));
});
