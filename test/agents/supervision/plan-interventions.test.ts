import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AgentState } from '../../../src/agents/supervision/derive.ts';
import type { Intervention } from '../../../src/agents/supervision/intervention.ts';
import { planInterventions } from '../../../src/agents/supervision/plan-interventions.ts';
import type { Watched } from '../../../src/agents/supervision/watched.ts';
import { type Seen, STUCK_MS, watched } from './watched.ts';

const MINUTE = 60_000;
const actions = (agents: readonly Watched[], now: number) => planInterventions(agents, now).flatMap(({ action }) => action ?? []);
const nextOf = (agent: Watched, now: number) => planInterventions([agent], now)[0]!.next;
const due = (seen: Seen, state: Partial<AgentState>, now: number) => actions([watched(seen, state)], now);
const does = (seen: Seen, state: Partial<AgentState>, now: number) => due(seen, state, now).map((action) => action.do);

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
    const asked = { ...nudged, questions: ['agent'], askedFor: 'stuck', askedAt: 800_000 };
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
    const missed = { listening: 20_000 };
    expect([does(missed, {}, 29_999), does(missed, {}, 30_000), does(missed, { state: 'starting' }, 30_000)]).toEqual([[], ['look'], []]);
    const once = { ...missed, looks: 1, lookedAt: 30_000 };
    expect([does(once, {}, 32_999), does(once, {}, 33_000)]).toEqual([[], ['look']]);
    const twice = { ...missed, looks: 2, lookedAt: 33_000, screen: 'idle' as const };
    expect([does(twice, {}, STUCK_MS - 1), does(twice, {}, STUCK_MS)]).toEqual([[], ['look']]);
    expect(does({ ...missed, lastSignal: 25_000 }, {}, 60_000)).toEqual([]);
  });
  it('is fine when it waits for a reply', () => {
    const idle = { state: 'idle' as const, detail: 'turn-ended' };
    expect([does({ questions: ['ask'] }, idle, 1e9), does({ waits: true }, idle, 1e9)]).toEqual([[], []]);
  });
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
    expect(due({}, derived, 1)).toMatchObject([
      { do: 'ask', condition: detail, reason: expect.stringContaining('Invalid API key'), giveUpMs: null },
    ]);
    expect([
      does({ questions: ['agent'], askedFor: detail, askedAt: 1 }, derived, 1e9),
      does({ questions: ['agent'], askedFor: 'stuck', askedAt: 1 }, derived, 2),
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
    const two = [7, 8].map((attempt) => watched({ attempt, turnOpen: false }, limit));
    const at = (now: number) => planInterventions(two, now).map(({ action, next }) => action?.do ?? next);
    expect([at(104_999), at(105_000), at(108_000)]).toEqual([
      [105_000, 108_000],
      ['continue', 108_000],
      ['continue', 'continue'],
    ]);
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
  it('of its account goes on with another one: at once, or after a minute of trying by itself; an overload is that of all', () => {
    const another = { elsewhere: true, turnOpen: false };
    const moved = { do: 'relaunch', how: 'fresh', why: 'account', notBefore: 0 };
    expect(due(another, limit, 5)).toEqual([moved]);
    expect(does({ ...another, launches: 4 }, limit, 5)).toEqual([]);
    expect(does(another, { ...limit, detail: 'overloaded' }, 5)).toEqual([]);
    expect(does(another, { ...limit, sure: false }, 5)).toEqual([]);
    const retrying = { ...limit, detail: 'retrying' };
    expect([does({ elsewhere: true }, retrying, MINUTE - 1), due({ elsewhere: true }, retrying, MINUTE)]).toEqual([[], [moved]]);
    expect(does({}, retrying, MINUTE)).toEqual([]);
  });
  it('whose context is full goes on in a fresh conversation, on its own word only', () => {
    const full = { state: 'idle' as const, detail: 'context' };
    expect(due({ turnOpen: false }, full, 9)).toEqual([{ do: 'relaunch', how: 'fresh', why: 'context', notBefore: 0 }]);
    expect([does({ launches: 4 }, full, 9), does({}, { ...full, sure: false }, 9)]).toEqual([['ask'], ['ask']]);
  });
});

describe('a process that is gone', () => {
  const dead = { state: 'dead' as const };
  it('is started again with its conversation, after 0, 5, 20 s, and given up after four starts', () => {
    const starts = [1, 2, 3, 4].map((launches) => due({ launches, endedAt: 1_000 }, dead, 1_000)[0]);
    expect(starts).toEqual([
      { do: 'relaunch', how: 'resume', why: 'died', notBefore: 1_000 },
      { do: 'relaunch', how: 'resume', why: 'died', notBefore: 6_000 },
      { do: 'relaunch', how: 'resume', why: 'died', notBefore: 21_000 },
      { do: 'give-up', reason: 'its process ended 4 times' },
    ]);
  });
  it('names the time of its next start', () => {
    const second = watched({ launches: 2, endedAt: 1_000 }, dead);
    expect([nextOf(second, 1_000), nextOf(second, 6_000)]).toEqual([6_000, undefined]);
  });
  it('gets more time when it died at once, and a fresh conversation when that was of no use', () =>
    expect([1, 2, 3].map((launches) => due({ launches, endedAt: 0, turns: 0 }, dead, 0)[0])).toMatchObject([
      { how: 'resume', notBefore: 5_000 },
      { how: 'fresh', notBefore: 20_000 },
      { how: 'fresh', notBefore: 60_000 },
    ]));
  it('without a conversation begins a fresh one', () => expect(due({ session: null }, dead, 0)).toMatchObject([{ how: 'fresh' }]));
  it('is started again, too, when its kind ends by its exit', () => expect(does({ ends: 'exit' }, dead, 9)).toEqual(['relaunch']));
});

const anyState: fc.Arbitrary<AgentState> = fc.record({
  state: fc.constantFrom('starting', 'idle', 'working', 'waiting', 'limited', 'stopped', 'dead', 'unknown'),
  detail: fc.constantFrom(null, 'permission', 'interrupted', 'retrying', 'auth', 'limit', 'context', 'login', 'error', 'turn-ended'),
  text: fc.constant(null),
  since: fc.nat(1_000),
  until: fc.option(fc.nat(5_000_000)),
  sure: fc.boolean(),
});
const time = fc.option(fc.nat(2_000_000));
const anySeen: fc.Arbitrary<Required<Seen>> = fc.record({
  attempt: fc.nat(9),
  provider: fc.constantFrom(null, 'anthropic'),
  elsewhere: fc.boolean(),
  ends: fc.constantFrom('exit', 'turn'),
  lastSignal: fc.nat(1_000_000),
  listening: fc.nat(2_000_000),
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
  questions: fc.subarray(['agent', 'ask', 'permission']),
  askedFor: fc.constantFrom(null, 'stuck', 'auth'),
  askedAt: time,
  paused: fc.boolean(),
  humanAt: time,
  turnOpen: fc.boolean(),
  requests: fc.nat(1),
  waits: fc.boolean(),
  endedAt: time,
  turns: fc.nat(1),
  session: fc.constantFrom(null, 's'),
});
const anyWatched = fc.tuple(anySeen, anyState).map(([seen, state]) => watched(seen, state));
const now = fc.nat(6_000_000);
const hard = (action: Intervention) => action.do === 'relaunch' || action.do === 'give-up';
const types = (action: Intervention) => action.do === 'nudge' || action.do === 'continue';
const always = (holds: (agent: Watched, done: Intervention[], at: number) => boolean) =>
  fc.assert(
    fc.property(anyWatched, now, (agent, at) => holds(agent, actions([agent], at), at)),
    { numRuns: 1_000 },
  );

describe('whatever is seen', () => {
  it('what is not known is neither ended nor started again', () =>
    always(({ state }, done) => (state.sure && state.state !== 'unknown') || state.state === 'dead' || !done.some(hard)));
  it('a person who typed a minute ago, or paused it, is not disturbed', () =>
    always(({ paused, record: { signals } }, done, at) => !(paused || at < (signals.humanAt ?? -MINUTE) + MINUTE) || done.length === 0));
  it('an agent that waits is not typed at', () => always(({ state }, done) => state.state !== 'waiting' || !done.some(types)));
  it('the same is due until the time that was named', () =>
    fc.assert(
      fc.property(anyWatched, now, fc.nat(1_000_000), (agent, at, later) => {
        fc.pre(at + later < (nextOf(agent, at) ?? Number.POSITIVE_INFINITY));
        expect(actions([agent], at + later)).toEqual(actions([agent], at));
      }),
      { numRuns: 1_000 },
    ));
});
