import { expect, it } from 'vitest';
import { breaker, type EndedStart } from '../../../src/agents/agent/rest-after-failures.ts';

const MINUTE = 60_000;
const bad = (agent: string, ...at: number[]): EndedStart[] => at.map((time) => ({ agent, at: time, ok: false }));
const good = (agent: string, at: number): EndedStart => ({ agent, at, ok: true });
const five = (agent: string, from = 0) => bad(agent, from, from + 1, from + 2, from + 3, from + 4);
const rest = (history: EndedStart[], now: number) => breaker(history, now).agents.get('ada')?.until;

it('lets an agent rest for a minute after five failures in a row within ten minutes', () => {
  expect(rest(five('ada'), 5)).toBe(4 + MINUTE);
  expect(rest(five('ada'), 4 + MINUTE)).toBeUndefined();
  expect(rest(five('ada').slice(1), 5)).toBeUndefined();
  expect(rest(bad('ada', 0, 3 * MINUTE, 6 * MINUTE, 9 * MINUTE, 12 * MINUTE), 12 * MINUTE)).toBeUndefined();
  expect(rest([...bad('ada', 0, 1, 2, 3), good('ada', 4), ...bad('ada', 5)], 6)).toBeUndefined();
});
it('rests 1, 2, 4 … 30 minutes while it goes on failing, and begins anew after a success', () => {
  let history = five('ada');
  const rests = Array.from({ length: 7 }, () => {
    const last = history.at(-1)!.at;
    const until = rest(history, last)!;
    history = [...history, ...bad('ada', until + 1)];
    return (until - last) / MINUTE;
  });
  expect(rests).toEqual([1, 2, 4, 8, 16, 30, 30]);
  const later = history.at(-1)!.at + 40 * MINUTE;
  expect(rest([...history, good('ada', later), ...five('ada', later + 1)], later + 5)).toBe(later + 5 + MINUTE);
});
it('does not count what failed during the rest as another try', () =>
  expect(rest([...five('ada'), ...bad('ada', 10, 20)], 30)).toBe(4 + MINUTE));
it('stops the farm while three agents rest', () => {
  const two = [...five('ada'), ...five('bob', 10)];
  expect(breaker(two, 50).farm.open).toBe(false);
  const three = [...two, ...five('cyd', 20)];
  expect(breaker(three, 50).farm).toEqual({ open: true, until: 4 + MINUTE, reason: '3 agents fail again and again at the same time' });
});
it('stops the farm when ten of the last twelve starts failed, of three agents or more', () => {
  const spread = ['ada', 'bob', 'cyd', 'dan'].flatMap((agent, i) => bad(agent, i, i + 10, i + 20));
  const mixed = [...spread.slice(0, 10), good('eve', 40), good('eve', 41)];
  expect(breaker(mixed, 50).farm).toMatchObject({
    open: true,
    until: 41 + 10 * MINUTE,
    reason: '10 of the last 12 starts of agents failed',
  });
  expect(breaker([...mixed, good('eve', 42)], 50).farm.open).toBe(false);
  expect(breaker(mixed, 41 + 10 * MINUTE).farm.open).toBe(false);
  const pair = mixed.map((end) => (end.ok ? end : { ...end, agent: end.agent < 'c' ? 'ada' : 'bob' }));
  expect(breaker(pair, 50).farm.open).toBe(false);
});
