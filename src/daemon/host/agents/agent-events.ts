import { type AgentEvent, type Decision, PASS, type Source } from '../../../agents/agent/event.ts';
import type { HookHandler } from '../../../api/hooks.ts';
import { TOO_LARGE } from '../../../api/read-body.ts';
import { redactAll } from '../../../platform/redact.ts';
import { limitKey } from '../../farm/accounts.ts';
import type { Host } from '../host.ts';
import type { RunningAttempt, RunningAttempts } from './running.ts';

/** Acts on an event for the farm, and answers it; `signal` ends when nobody waits for the answer any more. */
export type Respond = (running: RunningAttempt, event: AgentEvent, source: Source, signal: AbortSignal) => Promise<Decision>;

/** Takes in what agents say of themselves. */
export interface AgentEvents {
  /** Stores what an agent said before it is answered, so that a daemon that is killed in between loses nothing. */
  receive(running: RunningAttempt, event: AgentEvent, source: Source, signal?: AbortSignal): Promise<Decision>;
  readonly hook: HookHandler;
}

/** An agent can say these only when its model has answered. */
const SERVED = new Set<AgentEvent['on']>(['tool', 'permission', 'question', 'turn-ended']);

/** A tool is denied when its request cannot be read. After any other unread hook the agent goes on. */
const UNREAD = 'the request is larger than furrow reads (1 MB); use the tool with less at once';

export function agentEvents(farm: Host, attempts: RunningAttempts, respond: Respond): AgentEvents {
  const never = new AbortController().signal;
  const receive: AgentEvents['receive'] = async (running, event, source, signal = never) => {
    farm.starts.isUp(running.attempt);
    const provider = limitKey(running.driver, running.own);
    const wasLimited = running.record.signals.own?.state === 'limited';
    if (provider && wasLimited && SERVED.has(event.on)) await farm.report({ served: [{ provider, agent: running.agent }] });
    const ends = running.driver.ends(running.settings);
    const applies = await attempts.advance(running, { on: 'said', event, source, ends, at: farm.clock.awake() });
    // The rules judge what an agent really asks for; everything else that it says is stored and shown.
    const heard = event.on === 'tool' || event.on === 'permission' ? event : redactAll(event);
    return applies ? respond(running, heard, source, signal) : PASS;
  };
  return {
    receive,
    async hook(attempt, name, payload, signal) {
      const running = await attempts.find(attempt);
      if (!running?.driver.hooks) {
        farm.log.info({ attempt, hook: name }, 'a hook of an attempt that has ended');
        return undefined;
      }
      if (payload === TOO_LARGE) return running.driver.hooks.reply(name, {}, { do: 'deny', reason: UNREAD });
      let decision: Decision = PASS;
      for (const event of running.driver.hooks.read(name, payload)) decision = await receive(running, event, 'hook', signal);
      return running.driver.hooks.reply(name, payload, decision);
    },
  };
}
