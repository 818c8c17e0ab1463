import { expect, it } from 'vitest';
import { keptAnswers, keptByVersion } from '../../../src/platform/cache.ts';

it('what was read is read again when its version is another, for each owner, and the reader is given what was known', async () => {
  const kept = keptByVersion<object, string>();
  const [one, other] = [{}, {}];
  const read = (text: string) => async (before: string | undefined) => `${before ?? 'nothing'} > ${text}`;
  expect(await kept(one, '1', read('a'))).toBe('nothing > a');
  expect(await kept(one, '1', read('b'))).toBe('nothing > a');
  expect(await kept(one, '2', read('c'))).toBe('nothing > a > c');
  expect(await kept(other, '2', read('d'))).toBe('nothing > d');
  await expect(kept(one, '3', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await kept(one, '2', read('e'))).toBe('nothing > a > c');
});

it('an answer is asked for once, a failure anew, and past the limit all are forgotten', async () => {
  const kept = keptAnswers<number>(2);
  let asked = 0;
  const ask = async () => ++asked;
  expect(await Promise.all([kept('a', ask), kept('a', ask)])).toEqual([1, 1]);
  await expect(kept('b', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await kept('b', ask)).toBe(2);
  expect(await kept('a', ask)).toBe(1);
  expect(await kept('c', ask)).toBe(3);
  expect(await kept('a', ask)).toBe(4);
});
