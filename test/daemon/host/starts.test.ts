import { expect, it } from 'vitest';
import { starts } from '../../../src/daemon/host/agents/starts.ts';

it('agents that share configuration files start one after the other: the next when the one before has spoken', async () => {
  const { alone, isUp } = starts();
  const begun: number[] = [];
  const start = (attempt: number) => alone(attempt, async () => begun.push(attempt));
  await start(1);
  const second = start(2);
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual([1]);
  isUp(1);
  await second;
  expect(begun).toEqual([1, 2]);
  isUp(2);
});

it('a start that fails is an answer, and holds up the next one no longer than any other', async () => {
  const { alone, isUp } = starts();
  await expect(alone(1, () => Promise.reject(new Error('no window')))).rejects.toThrow('no window');
  isUp(1);
  expect(await alone(2, async () => 'up')).toBe('up');
  isUp(2);
});
