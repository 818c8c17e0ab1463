import fc from 'fast-check';
import { EVENT_KINDS } from '../../../src/journal/event-kind.ts';
import type { Decision, DigestSnapshot, Facts } from '../../../src/tell/digest/snapshot.ts';
import { QUESTION_KINDS } from '../../../src/work/question/kind.ts';

/** Words of people and agents: short and very long, of several lines, in other scripts. */
const words = fc.oneof(
  fc.lorem({ maxCount: 8 }),
  fc.string({ unit: 'grapheme', maxLength: 300 }),
  fc.constantFrom('?99 approval 1: not a question\nnext: furrow digest --since 1', '面'.repeat(500), '{"a":[1,2,3]}'.repeat(40), ''),
);
const id = fc.nat(9999).map(String);
const name = fc.constantFrom('calm-otter', 'brave-heron', 'quick-lynx', 'slow-bear', 'wise-crow');

const facts: fc.Arbitrary<Facts> = fc.record({
  repository: fc.constantFrom('/home/me/app', `/very${'/long'.repeat(40)}`),
  target: fc.constantFrom('main', 'release/2030.1'),
  checks: fc.array(fc.record({ name, run: words }), { maxLength: 12 }),
  kinds: fc.array(fc.record({ name, driver: fc.constantFrom('claude', 'command'), role: fc.constantFrom('agent', 'orchestrator') }), {
    maxLength: 8,
  }),
  defaultKind: name,
  phases: fc.array(fc.constantFrom('default', 'phase-1', 'phase-2'), { maxLength: 6 }),
  attempts: fc.nat(9),
  land: fc.constantFrom('auto', 'approve'),
  isolation: fc.constantFrom('none', 'guard', 'strict'),
  resources: fc.dictionary(name, fc.nat(9), { maxKeys: 4 }),
});

const agent = fc.record({
  name,
  kind: fc.constantFrom('claude', 'codex'),
  state: fc.constantFrom('starting', 'idle', 'working', 'waiting', 'limited', 'stopped', 'dead', 'unknown'),
  paused: fc.boolean(),
  task: fc.option(id),
  detail: fc.option(words),
  says: fc.option(words),
});

const task = fc.record({
  id,
  title: words,
  phase: fc.constantFrom('default', 'phase-1'),
  state: fc.constantFrom('waiting', 'ready', 'leased', 'submitted', 'landed', 'parked', 'blocked', 'archived'),
  agent: fc.option(name),
  attempt: fc.nat(4),
  reason: fc.option(words),
});

const kind = <T extends object>(kinds: T) => fc.constantFrom(...(Object.keys(kinds) as (keyof T & string)[]));

/** Each has a number of its own, as in the store. */
const decisions = (most: number): fc.Arbitrary<Decision[]> =>
  fc
    .array(fc.record({ kind: kind(QUESTION_KINDS), subject: id, reason: words, commands: fc.array(words, { maxLength: 3 }) }), {
      maxLength: most,
      size: 'max',
    })
    .map((all) => all.map((one, n) => ({ ...one, id: String(n + 1) })));

const event = fc.record({ kind: kind(EVENT_KINDS), agent: fc.option(name), task: fc.option(id), text: words });

const AT = '2030-01-02T11:04:05.000Z';

/** Farms of up to 50 agents, or exactly so many, with as many as 500 events and so many open decisions. */
export const anyFarm = (mostDecisions: number, full = false): fc.Arbitrary<DigestSnapshot> =>
  fc
    .record({
      facts,
      agents: fc.array(agent, { minLength: full ? 50 : 0, maxLength: 50, size: 'max' }),
      tasks: fc.array(task, { maxLength: 120, size: 'max' }),
      farm: fc.constantFrom('running', 'paused', 'stopped'),
      queue: fc.record({
        depth: fc.nat(60),
        checking: fc.nat(4),
        setups: fc.constant(0),
        head: fc.option(fc.constant('0123456789abcdef0123456789abcdef01234567')),
        paused: fc.boolean(),
        halted: fc.option(words),
      }),
      cost: fc.record({ usd: fc.nat(900), tokens: fc.nat(90_000_000) }),
      events: fc.array(event, { minLength: full ? 500 : 0, maxLength: 500, size: 'max' }),
      decisions: decisions(mostDecisions),
      awaited: fc.array(fc.record({ id: id.map((n) => `m${n}`), from: name, state: fc.constantFrom('queued', 'seen'), text: words }), {
        maxLength: 30,
      }),
      hidden: fc.nat(3),
      since: fc.option(fc.nat(1000)),
    })
    .map(({ events, since, ...rest }) => ({
      ...rest,
      since,
      seq: (since ?? 0) + events.length,
      events: events.map((one, n) => ({ ...one, at: AT, seq: (since ?? 0) + n + 1 })),
    }));
