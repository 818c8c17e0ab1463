import { expect, it } from 'vitest';
import { ALL } from '../../support/all.ts';
import { messageStorm } from './storm.ts';

const MESSAGES = ALL ? 100 : 12;
const DRAFTS = ALL ? 6 : 2;

it(`${MESSAGES} messages come exactly once, in order and byte for byte, past lost Enters, lost receipts and a person who types`, async () => {
  const { facts, violations } = await messageStorm({ messages: MESSAGES, agents: 4, seed: 11, drafts: DRAFTS });
  expect(violations).toEqual([]);
  expect(facts).toMatchObject({ sent: MESSAGES, delivered: MESSAGES, dead: 0, pending: 0, drafts: DRAFTS });
});
