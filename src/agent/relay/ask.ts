import { request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as pass } from 'node:timers/promises';

/** The first wait for a daemon that is away, in ms; each is twice the one before, up to the longest. */
const FIRST_MS = 50;
const LONGEST_MS = 1000;

interface Ask {
  readonly url: string;
  readonly token: string;
  readonly payload: string;
  /** So long a daemon is waited for, from each loss of one. */
  readonly patienceMs: number;
  /** Whether anybody still wants the reply. */
  readonly wanted: () => boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Hands a hook's payload to the daemon: the body of its reply; undefined when there is no daemon, or it wants none of it. */
export async function ask(hook: Ask): Promise<string | undefined> {
  let lost = Date.now();
  for (let pause = FIRST_MS; ; pause = Math.min(pause * 2, LONGEST_MS)) {
    const said = await post(hook);
    if ('status' in said) return said.status === 200 ? said.body : undefined;
    if (said.met) lost = Date.now();
    if (!hook.wanted() || Date.now() - lost >= hook.patienceMs) return undefined;
    await pass(pause);
  }
}

/** `met`: there was a daemon, and it went away before it had answered. */
function post({ url, token, payload, signal }: Ask): Promise<{ status: number | undefined; body: string } | { met: boolean }> {
  const { promise, resolve } = Promise.withResolvers<{ status: number | undefined; body: string } | { met: boolean }>();
  let met = false;
  const lost = () => resolve({ met });
  const headers = { 'content-type': 'application/json', 'x-furrow': token };
  const sent = request(url, { method: 'POST', headers, ...(signal && { signal }) }, (reply) => {
    text(reply).then((body) => resolve({ status: reply.statusCode, body }), lost);
  });
  sent.on('socket', (socket) => {
    socket.once('connect', () => {
      met = true;
    });
  });
  sent.on('error', lost);
  sent.end(payload);
  return promise;
}
