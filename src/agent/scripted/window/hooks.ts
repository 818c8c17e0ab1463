import { request } from 'node:http';
import { type AgentEvent, type Decision, PASS } from '../../event.ts';

export type Post = (event: AgentEvent, signal?: AbortSignal) => Promise<Decision>;

/** Tells the farm of an event and hands back its answer. A farm that is away is no reason to stop: the answer is `pass` then. */
export function poster(url: string, token: string): Post {
  return ({ on, ...payload }, signal) => {
    if (url === '') return Promise.resolve(PASS);
    return new Promise((resolve) => {
      const headers = { 'content-type': 'application/json', 'x-furrow': token };
      const sent = request(`${url}/${on}`, { method: 'POST', headers, ...(signal && { signal }) }, (response) => {
        let body = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          body += chunk;
        });
        response.on('end', () => resolve(read(body)));
        response.on('error', () => resolve(PASS));
      });
      sent.on('error', () => resolve(PASS));
      sent.end(JSON.stringify(payload));
    });
  };
}

function read(body: string): Decision {
  try {
    const reply = JSON.parse(body) as Partial<Decision>;
    return typeof reply.do === 'string' ? (reply as Decision) : PASS;
  } catch {
    return PASS;
  }
}
