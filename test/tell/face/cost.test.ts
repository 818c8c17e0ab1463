import { describe, expect, it } from 'vitest';
import { type SpendOptions, spendOf } from '../../../src/tell/face/cost.ts';

const at = (second: number) => new Date(second * 1000).toISOString();
const span = (id: string, agent: string, from: number, to: number, usd: number) => ({
  id,
  phase: 'p1',
  agent,
  attempt: 1,
  from: at(from),
  to: at(to),
  usd,
  tokens: usd * 1000,
});

const spans = [span('1', 'a-1', 0, 10, 2), span('2', 'a-2', 10, 20, 6), span('3', 'a-1', 20, 20, 1), span('4', 'a-3', 0, 40, 0)];
const drawn = (options: Partial<SpendOptions>) =>
  spendOf({ spans }, { by: 'task', measure: 'usd', steps: 5, most: 9, now: 40_000, ...options });

describe('the cost over time', () => {
  it('grows evenly while a conversation runs, and ends at what it said', () => {
    expect(drawn({})).toEqual({
      times: [0, 10_000, 20_000, 30_000, 40_000],
      series: [
        { name: '2', points: [0, 0, 6, 6, 6], total: 6 },
        { name: '1', points: [0, 2, 2, 2, 2], total: 2 },
        { name: '3', points: [0, 0, 1, 1, 1], total: 1 },
      ],
      sum: [0, 2, 9, 9, 9],
      total: 9,
    });
  });

  it('adds up by agent, and in tokens', () => {
    const { series, total } = drawn({ by: 'agent', measure: 'tokens' });
    expect(series.map((one) => [one.name, one.total])).toEqual([
      ['a-2', 6000],
      ['a-1', 3000],
    ]);
    expect(total).toBe(9000);
  });

  it('puts what used least into one line, and loses nothing', () => {
    const { series, total } = drawn({ most: 2 });
    expect(series.map((one) => [one.name, one.total])).toEqual([
      ['2', 6],
      [null, 3],
    ]);
    expect(total).toBe(9);
  });

  it('is empty before anything was used', () => {
    expect(spendOf({ spans: [] }, { by: 'task', measure: 'usd', steps: 5, most: 9, now: 1 })).toEqual({
      times: [],
      series: [],
      sum: [],
      total: 0,
    });
  });
});
