import { type AgentEvent, type Decision, PASS } from '../event.ts';
import { ask } from './ask.ts';

export type Post = (event: AgentEvent, signal?: AbortSignal) => Promise<Decision>;

/** As long as the hooks of real agents may take. */
const PATIENCE_MS = 3_600_000;
/** Its name is told once, and nothing else tells it. */
const READY_MS = 20_000;

/** The same, and undefined where nobody heard it. */
export type Ask = (event: AgentEvent, signal?: AbortSignal) => Promise<Decision | undefined>;

/** Tells the farm of an event. Only what a person may have to answer waits for a farm that is away, and the name of the conversation. */
export function asker(url: string, token: string): Ask {
  return async ({ on, ...payload }, signal) => {
    if (url === '') return PASS;
    const patienceMs = on === 'permission' || on === 'question' ? PATIENCE_MS : on === 'ready' ? READY_MS : 0;
    const wanted = () => signal?.aborted !== true;
    const body = await ask({ url: `${url}/${on}`, token, payload: JSON.stringify(payload), patienceMs, wanted, signal });
    return body === undefined ? undefined : read(body);
  };
}

/** The same. A farm that is away is no reason to stop: the answer is `pass` then. */
export function poster(url: string, token: string): Post {
  const tell = asker(url, token);
  return async (event, signal) => (await tell(event, signal)) ?? PASS;
}

function read(body: string): Decision {
  try {
    const reply = JSON.parse(body) as Partial<Decision>;
    return typeof reply.do === 'string' ? (reply as Decision) : PASS;
  } catch {
    return PASS;
  }
}
