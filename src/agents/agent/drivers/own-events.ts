import type { HookDialect } from '../driver.ts';
import type { AgentEvent } from '../event.ts';

const NAMES = new Set<string>([
  'ready',
  'prompt',
  'tool',
  'tool-done',
  'permission',
  'question',
  'answered',
  'turn-ended',
  'turn-failed',
  'retrying',
  'interrupted',
  'usage',
  'closed',
] satisfies AgentEvent['on'][]);

/** Programs of ours speak furrow's own language: a hook is named as the event is, and the answer is the decision itself. */
export const ownEvents: HookDialect = {
  read: (name, payload) => (NAMES.has(name) ? [{ ...(payload as object), on: name } as AgentEvent] : []),
  reply: (_name, _payload, decision) => (decision.do === 'pass' ? undefined : decision),
};
