import { expect, it } from 'vitest';
import { openHostile } from './hostile/run.ts';

it('every command opens a hostile repository that nobody trusts, and starts nothing of it', async () => {
  const { facts, violations } = await openHostile(['config', 'git', 'board', 'names', 'settings']);
  expect(violations).toEqual([]);
  expect(facts['commands']).toBeGreaterThan(45);
});

const READING = ['status', 'list', 'queue', 'doctor', 'why 1', 'trust --show', 'plan', 'diff 1', 'config'].map((line) => line.split(' '));

it.each(['partial', 'bomb'] as const)('a repository that is a %s is looked at, and starts nothing', async (trait) => {
  const { facts, violations } = await openHostile([trait, 'git'], READING);
  expect(violations).toEqual([]);
  expect(facts['commands']).toBe(READING.length);
});
