import type { CallName } from '../api/contract.ts';
import { respond } from '../api/respond.ts';
import type { Handlers } from '../api/server.ts';
import { FurrowError } from '../platform/error.ts';
import type { Farm } from './farm/farm.ts';
import type { Asking } from './farm/leader-answers.ts';
import { agentCaller } from './host/doors/recognise.ts';
import type { AnswerCall } from './roster/hosts.ts';

type Called = Pick<Farm, 'id' | 'config' | 'log'> & Asking;

/**
 * Makes the calls of agents on other machines. A host is believed about who calls there, for its own attempts alone: what such a call may do is what the agent
 * could do here, and less (`calls/from-elsewhere.ts`).
 */
export const callsFromElsewhere =
  (farm: Called, handlers: () => Handlers): AnswerCall =>
  async (host, { life, seq, attempt, call, args }) => {
    const onBug = (error: unknown) => farm.log.error({ error: (error as Error).stack, host }, 'a call from another machine failed');
    const reply = await respond({ handlers: handlers(), onBug }, { id: seq, call: call as CallName, args }, async () => {
      const row = await farm.leader.attempts.find(attempt);
      if (row?.host !== host) throw new FurrowError('NOT_YOUR_DOOR', `attempt ${attempt} is not one of ${host}`, { hint: 'stop here' });
      const caller = await agentCaller(farm, attempt);
      return { caller, signal: new AbortController().signal, item() {}, word: { host, life, seq } };
    });
    if (reply && 'error' in reply && reply.error) return { error: reply.error };
    return { result: reply && 'result' in reply ? reply.result : undefined };
  };
