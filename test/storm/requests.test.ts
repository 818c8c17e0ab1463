import { expect, it } from 'vitest';
import { requests } from './requests.ts';

it('of some hundred generated requests the doors take those that are right, and no other', async () => {
  const { facts, violations } = await requests({ seed: 'sample', requests: 450, say: () => {} });
  expect(violations).toEqual([]);
  // A storm in which nothing is taken, or everything is, tries nothing.
  expect(facts['accepted']).toBeGreaterThan(50);
  expect(facts['accepted']).toBeLessThan(250);
  expect(facts['results']).toBeGreaterThan(5);
});
