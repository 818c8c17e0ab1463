import { describe, expect, it } from 'vitest';
import { type Crossing, GONE_MS, nextCrossing, refusedBy } from '../../../src/agents/other-farms/plan.ts';

const NOW = 1000;
const ASK: Crossing = { kind: 'ask', state: 'pending', open: true, until: null };
const next = (row: Partial<Crossing>, missingMs?: number) => {
  const step = nextCrossing({ ...ASK, ...row }, 'web', missingMs, NOW);
  return step.do === 'end' ? step.reason : step.do;
};

describe('a question to another farm', () => {
  it('is brought while that farm runs', () => expect(next({})).toBe('bring'));
  it('waits for a daemon that is being replaced', () => expect(next({}, GONE_MS - 1)).toBe('wait'));
  it('ends when nobody is there', () => expect(next({}, GONE_MS)).toBe('the farm web does not run'));
  it('stays open while that farm has it', () => expect(next({ state: 'handed' })).toBe('wait'));
  it('outlives a restart of that farm', () => expect(next({ state: 'handed' }, GONE_MS - 1)).toBe('wait'));
  it('ends when that farm has stopped', () => expect(next({ state: 'handed' }, GONE_MS)).toBe('the farm web has stopped'));
  it('is taken back there when it was closed here', () => expect(next({ state: 'handed', open: false })).toBe('recall'));
  it('is taken back from nobody that is gone', () => expect(next({ state: 'handed', open: false }, 1)).toBe('settle'));
});

describe('an answer', () => {
  const reply = { kind: 'reply', open: false, until: NOW + 1 };
  it('is brought while somebody may wait for it', () => expect(next(reply)).toBe('bring'));
  it('waits for the farm that asked', () => expect(next(reply, GONE_MS * 100)).toBe('wait'));
  it('ends with the time of its question', () => expect(next({ ...reply, until: NOW }, 1)).toMatch(/^its question has expired/));
});

it('what another farm says of a refusal is told in our own words', () => {
  expect(refusedBy('web', 'bob', 'NO_AGENT')).toBe('web has no agent bob');
  expect(refusedBy('web', 'bob', 'USAGE')).toBe('web refused it (USAGE)');
});
