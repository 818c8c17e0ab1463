import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Summary, summaryLine, summaryOf, summaryParts } from '../../../src/tell/face/summary.ts';

const busy: Summary = { state: 'running', landed: 5, tasks: 12, agents: 4, queued: 2, needsYou: 1 };

it.each<[string, Partial<Summary>, string]>([
  ['a farm at work', {}, '5/12 landed · 4 agents · 2 in queue · 1 needs you'],
  ['one of each, and two that wait', { agents: 1, queued: 1, needsYou: 2 }, '5/12 landed · 1 agent · 1 in queue · 2 need you'],
  ['nothing', { landed: 0, tasks: 0, agents: 0, queued: 0, needsYou: 0 }, '0/0 landed · no agents · queue empty · nothing needs you'],
  ['a pause', { state: 'paused' }, 'paused · 5/12 landed · 4 agents · 2 in queue · 1 needs you'],
  ['a queue that is paused', { state: 'queue paused' }, 'queue paused · 5/12 landed · 4 agents · 2 in queue · 1 needs you'],
  ['a queue that halted', { state: 'halted' }, 'queue halted · 5/12 landed · 4 agents · 2 in queue · 1 needs you'],
  ['a farm that a person stopped', { state: 'stopped', agents: 0 }, 'stopped · 5/12 landed · no agents · 2 in queue · 1 needs you'],
  ['a farm with nothing to do', { state: 'idle', agents: 0 }, 'idle · 5/12 landed · no agents · 2 in queue · 1 needs you'],
])('%s is one line', (_name, change, line) => {
  expect(summaryLine({ ...busy, ...change })).toBe(line);
});

it.each<[number, string]>([
  [49, '5/12 landed · 4 agents · 2 in queue · 1 needs you'],
  [48, '5/12 · 4 agents · 2 queued · 1 needs you'],
  [39, '5/12 · 4a · 2q · 1!'],
  [18, '5/12 · 2q · 1!'],
  [13, '5/12 · 1!'],
  [8, '1!'],
  [1, ''],
])('in %i columns', (width, line) => {
  expect(summaryLine(busy, width)).toBe(line);
});

const counts = fc.nat(100_000);
const anySummary: fc.Arbitrary<Summary> = fc.record({
  state: fc.constantFrom<Summary['state'][]>('running', 'paused', 'stopped', 'idle', 'halted', 'queue paused'),
  landed: counts,
  tasks: counts,
  agents: counts,
  queued: counts,
  needsYou: counts,
});

it('never has a column more than there is, and a wider line says no less', () => {
  fc.assert(
    fc.property(anySummary, fc.nat(100), (summary, width) => {
      const line = summaryLine(summary, width);
      expect(line.length).toBeLessThanOrEqual(width);
      expect(summaryLine(summary, width + 1).length).toBeGreaterThanOrEqual(line.length);
      if (summary.needsYou > 0 && width >= 12) expect(line).toMatch(new RegExp(`\\b${summary.needsYou}(!| needs? you)$`));
    }),
  );
});

it('calls a person when the queue halted or something needs an answer, and else not', () => {
  const calling = (of: Summary) => summaryParts(of).flatMap(({ name, calls }) => (calls ? [name] : []));
  expect(calling({ ...busy, state: 'halted' })).toEqual(['state', 'attention']);
  expect(calling({ ...busy, state: 'paused', needsYou: 0 })).toEqual([]);
});

it('counts no archived task and no agent that was stopped', () => {
  const status = (
    queue: { depth: number; halted: string | null; paused: boolean },
    state: 'running' | 'paused' | 'stopped' = 'running',
    stopped: string | null = null,
  ) => ({
    farm: { state, stopped },
    tasks: { landed: 5, ready: 3, leased: 4, archived: 7 },
    queue,
  });
  const agents = (['working', 'waiting', 'stopped', 'dead'] as const).map((state) => ({ state }));
  const still = { depth: 2, halted: null, paused: false };
  expect(summaryOf({ status: status(still), agents, attention: [] })).toEqual({ ...busy, agents: 3, needsYou: 0 });
  const state = (...of: Parameters<typeof status>) => summaryOf({ status: status(...of), agents, attention: [] }).state;
  expect(state({ ...still, halted: 'main is red' }, 'paused')).toBe('halted');
  expect(state({ ...still, paused: true })).toBe('queue paused');
  expect(state({ ...still, paused: true }, 'paused')).toBe('paused');
  expect(state(still, 'stopped')).toBe('idle');
  expect(state({ ...still, halted: 'main is red' }, 'stopped', '2030-01-01T00:00:00Z')).toBe('stopped');
});
