import { expect, it } from 'vitest';
import { ALL } from '../support/all.ts';
import { commandLines, openHostile } from './hostile/run.ts';

it('every command opens a hostile repository that nobody trusts, and starts nothing of it', async () => {
  const every = commandLines();
  expect(every.length).toBeGreaterThan(45);
  const lines = every.filter((_, n) => ALL || n % 3 === 0);
  const { facts, violations } = await openHostile(['config', 'git', 'board', 'names', 'settings'], lines);
  expect(violations).toEqual([]);
  expect(facts['commands']).toBe(lines.length);
});

const READING = ['status', 'list', 'queue', 'doctor', 'why 1', 'trust --show', 'plan', 'diff 1', 'config'].map((line) => line.split(' '));

it.each(['partial', 'bomb'] as const)('a repository that is a %s is looked at, and starts nothing', async (trait) => {
  const { facts, violations } = await openHostile([trait, 'git'], READING);
  expect(violations).toEqual([]);
  expect(facts['commands']).toBe(READING.length);
});
