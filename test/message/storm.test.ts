import { expect, it } from 'vitest';
import { messageStorm } from './storm.ts';

it('100 messages come exactly once, in order and byte for byte, past lost Enters, lost receipts and a person who types', async () => {
  const { facts, violations } = await messageStorm({ messages: 100, agents: 4, seed: 11, drafts: 6 });
  expect(violations).toEqual([]);
  expect(facts).toMatchObject({ sent: 100, delivered: 100, dead: 0, pending: 0, drafts: 6 });
});
