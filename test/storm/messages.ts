import { messageStorm } from '../agents/message/storm.ts';
import { conversations } from './conversations.ts';
import { hooks } from './hooks.ts';
import type { Outcome, StormOptions } from './scenario.ts';

/**
 * `--only keys`: messages that are typed into windows. `--only hooks`: agents that are told by their hooks while the daemon is killed. Else:
 * agents that all talk to each other while the daemon is killed.
 */
export function messages(options: StormOptions): Promise<Outcome> {
  if (options.only === 'keys') return keys(options);
  return options.only === 'hooks' ? hooks(options) : conversations(options);
}

/** 1,000 messages, lost receipts, swallowed Enters, and a person who types: none lost, none twice, no draft touched. */
function keys(options: StormOptions): Promise<Outcome> {
  const count = options.tasks ?? 1000;
  const agents = options.agents ?? 4;
  const seed = Number(options.seed) || 1;
  return messageStorm({ messages: count, agents, seed, drafts: options.rounds ?? Math.ceil(count / 8), say: options.say });
}
