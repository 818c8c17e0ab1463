import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { scripted } from '../../../src/agents/agent/drivers/scripted.ts';
import { type AgentEvent, type Decision, PASS } from '../../../src/agents/agent/event.ts';

export interface Heard {
  readonly attempt: number;
  readonly event: AgentEvent;
}

export interface HookServer extends AsyncDisposable {
  readonly url: string;
  readonly heard: Heard[];
  /** The next event that satisfies, also one that was heard before the call. */
  until(good: (heard: Heard) => boolean): Promise<Heard>;
}

/** The farm's end of the hooks, with the driver's own dialect. */
export async function hookServer(decide: (heard: Heard) => Promise<Decision> | Decision = () => PASS): Promise<HookServer> {
  const heard: Heard[] = [];
  const listeners = new Set<() => void>();
  const server = createServer(async (request, response) => {
    const [, attempt = '', name = ''] = /^\/hook\/(\d+)\/([a-z-]+)$/.exec(request.url ?? '') ?? [];
    if (request.headers['x-furrow'] !== `token-${attempt}`) return void response.writeHead(403).end();
    const chunks: Buffer[] = [];
    for await (const chunk of request as AsyncIterable<Buffer>) chunks.push(chunk);
    const payload: unknown = JSON.parse(Buffer.concat(chunks).toString('utf8'));
    let decision: Decision = PASS;
    for (const event of scripted.hooks!.read(name, payload)) {
      const one = { attempt: Number(attempt), event };
      heard.push(one);
      for (const listener of listeners) listener();
      decision = await decide(one);
    }
    response.end(JSON.stringify(scripted.hooks!.reply(name, payload, decision) ?? {}));
  });
  await new Promise<void>((up) => server.listen(0, '127.0.0.1', up));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    heard,
    until: (good) =>
      new Promise((resolve) => {
        const look = () => {
          const found = heard.find(good);
          if (!found) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
      }),
    [Symbol.asyncDispose]: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}
