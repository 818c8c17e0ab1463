import { expect, it } from 'vitest';
import { openHostile } from './hostile/run.ts';

it('every command opens a hostile repository that nobody trusts, and starts nothing of it', async () => {
  const { facts, violations } = await openHostile(['config', 'git', 'board', 'names', 'settings']);
  expect(violations).toEqual([]);
  expect(facts['commands']).toBeGreaterThan(45);
});
