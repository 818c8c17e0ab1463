import { expect, it } from 'vitest';
import { backoff } from '../../../src/platform/backoff.ts';

const after = (...failures: number[]) => failures.map((count) => backoff(count, 1000, 60_000));

it('a pause doubles with each failure in a row, up to the longest, however many there are', () => {
  expect(after(1, 2, 3, 6)).toEqual([1000, 2000, 4000, 32_000]);
  expect(after(7, 8, 100, 5000)).toEqual([60_000, 60_000, 60_000, 60_000]);
  expect(after(0)).toEqual([1000]);
});
