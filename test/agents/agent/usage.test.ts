import { expect, it } from 'vitest';
import { writeUsage } from '../../../src/agents/agent/usage.ts';
import { newStore } from '../../support/store.ts';

const usage = (input: number) => ({ input, output: 0, cacheRead: 0, cacheWrite: 0 });

it('what a conversation has used never goes back, and a known price is not forgotten', async () => {
  await using store = await newStore();
  const note = (session: string, input: number, usd: number | null) =>
    writeUsage(store.db, { attempt: 7, session, usage: usage(input), usd }, input);
  await note('s', 100, 0.5);
  await note('s', 120, null);
  await note('s', 90, 0.4);
  await note('t', 10, null);
  const rows = await store.db.selectFrom('usage').select(['session', 'input', 'micros']).orderBy('session').execute();
  expect(rows).toEqual([
    { session: 's', input: 120, micros: 500_000 },
    { session: 't', input: 10, micros: null },
  ]);
});
