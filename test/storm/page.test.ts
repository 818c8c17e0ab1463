import { expect, it } from 'vitest';
import { page } from './page.ts';

it('of some hundred combinations the page passes with its token, and nobody else', async () => {
  const { facts, violations } = await page({ requests: 500, say: () => {} });
  expect(violations).toEqual([]);
  expect(facts['accepted']).toBe(60);
  expect(facts['requests']).toBeGreaterThan(500);
});
