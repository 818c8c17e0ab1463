import { expect, it } from 'vitest';
import { beginNotice, endNotice } from '../../../src/tell/notice/store.ts';
import { newStore } from '../../support/store.ts';

it('an item goes out once by each channel: not while it is told, not after, and after a failure only as the same message', async () => {
  await using at = await newStore();
  const begin = (channel: 'webhook' | 'desktop', key: string, ...items: string[]) =>
    at.db.transaction().execute((tx) => beginNotice(tx, channel, key, items, 1));
  const end = (key: string, state: 'told' | 'failed') => at.db.transaction().execute((tx) => endNotice(tx, 'webhook', key, state));
  expect(await begin('webhook', 'm1', 'a', 'b')).toBe(true);
  expect([await begin('webhook', 'm1', 'a', 'b'), await begin('webhook', 'm2', 'b', 'c')]).toEqual([false, false]);
  await end('m1', 'failed');
  expect([await begin('webhook', 'm2', 'a'), await begin('webhook', 'm1', 'a', 'b')]).toEqual([false, true]);
  await end('m1', 'told');
  expect([await begin('webhook', 'm1', 'a', 'b'), await begin('webhook', 'm3', 'c'), await begin('desktop', 'm1', 'a')]).toEqual([
    false,
    true,
    true,
  ]);
});
