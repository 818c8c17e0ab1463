import { fetchBySocket } from '../../../../platform/fetch-by-socket.ts';
import type { Place } from './place.ts';

/** A server that is still starting takes a connection and never answers on it: no request waits longer than this. */
const PATIENCE_MS = 5_000;

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** opencode's own server, seen from here. */
export interface Api {
  get(path: string): Promise<unknown>;
  post(path: string, body?: object): Promise<Answer>;
  events(signal: AbortSignal): Promise<ReadableStream<Uint8Array>>;
}

/** Another program listens where opencode should: it does not know the password. */
export class Stranger extends Error {}

export function apiAt(place: Place): Api {
  const root = `http://127.0.0.1:${place.port}`;
  const headers = { authorization: `Basic ${Buffer.from(`opencode:${place.password}`).toString('base64')}` };
  const ask = async (method: string, path: string, signal: AbortSignal, body?: object): Promise<Response> => {
    const sent = body && { body: JSON.stringify(body) };
    const json = body && { 'content-type': 'application/json' };
    const order = { method, headers: { ...headers, ...json }, signal, ...sent };
    const reply = await (place.socket === undefined ? fetch(`${root}${path}`, order) : fetchBySocket(place.socket, path, order));
    if (reply.status === 401) throw new Stranger(`another program answers on port ${place.port}`);
    return reply;
  };
  return {
    async get(path) {
      const reply = await ask('GET', path, AbortSignal.timeout(PATIENCE_MS));
      if (reply.ok) return reply.json();
      await reply.body?.cancel();
      throw new Error(`${path} is answered with ${reply.status}`);
    },
    async post(path, body) {
      const reply = await ask('POST', path, AbortSignal.timeout(PATIENCE_MS), body);
      const text = await reply.text();
      return { status: reply.status, body: text === '' ? undefined : JSON.parse(text) };
    },
    async events(signal) {
      const late = new AbortController();
      const timer = setTimeout(() => late.abort(new Error('no answer')), PATIENCE_MS);
      const reply = await ask('GET', '/event', AbortSignal.any([signal, late.signal])).finally(() => clearTimeout(timer));
      if (reply.ok && reply.body) return reply.body;
      throw new Error(`/event is answered with ${reply.status}`);
    },
  };
}
