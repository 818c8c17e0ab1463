import { messageStorm } from '../message/storm.ts';
import type { Outcome, StormOptions } from './scenario.ts';

/** 1,000 messages, lost receipts, swallowed Enters, and a person who types: none lost, none twice, no draft touched. */
export async function messages(options: StormOptions): Promise<Outcome> {
  const count = options.tasks ?? 1000;
  const agents = options.agents ?? 4;
  const seed = Number(options.seed) || 1;
  return messageStorm({ messages: count, agents, seed, drafts: options.rounds ?? Math.ceil(count / 8), say: options.say });
}
