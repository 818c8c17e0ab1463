import { type AgentEvent, type Decision, PASS } from '../../../src/agents/agent/event.ts';
import { ask } from '../../../src/agents/agent/relay/ask.ts';

export type Post = (event: AgentEvent, signal?: AbortSignal) => Promise<Decision>;

/** As long as the hooks of real agents may take. */
const PATIENCE_MS = 3_600_000;
/** Its name is told once, and nothing else tells it. */
const READY_MS = 20_000;

/**
 * Tells the farm of an event and hands back its answer. A farm that is away is no reason to stop: the answer is `pass`
 * then. Only what a person may have to answer waits for it, and the name of the conversation.
 */
export function poster(url: string, token: string): Post {
  return async ({ on, ...payload }, signal) => {
    if (url === '') return PASS;
    const patienceMs = on === 'permission' || on === 'question' ? PATIENCE_MS : on === 'ready' ? READY_MS : 0;
    const wanted = () => signal?.aborted !== true;
    return read(await ask({ url: `${url}/${on}`, token, payload: JSON.stringify(payload), patienceMs, wanted, signal }));
  };
}

function read(body: string | undefined): Decision {
  try {
    const reply = JSON.parse(body ?? '') as Partial<Decision>;
    return typeof reply.do === 'string' ? (reply as Decision) : PASS;
  } catch {
    return PASS;
  }
}
