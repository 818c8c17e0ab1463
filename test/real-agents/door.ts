import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** A way to furrow's tools at the door of an attempt, for agents that furrow did not give it to. */
export interface OpenDoor extends AsyncDisposable {
  readonly url: string;
  readonly token: string;
  /** Resolves when somebody has been told which tools there are. */
  readonly listed: Promise<void>;
}

/** Hands every request on as it is. An agent connects to its servers while it works already, and only here is it seen when it has. */
export async function openDoor(url: string, token: string): Promise<OpenDoor> {
  const listed = Promise.withResolvers<void>();
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const headers = Object.fromEntries(
      ['content-type', 'accept', 'x-furrow', 'mcp-protocol-version'].flatMap((name) =>
        typeof request.headers[name] === 'string' ? [[name, request.headers[name]]] : [],
      ),
    );
    const { method = 'GET' } = request;
    const answer = await fetch(url, { method, headers, ...(method === 'POST' && { body }) });
    response.writeHead(answer.status, { 'content-type': answer.headers.get('content-type') ?? 'application/json' });
    response.end(await answer.text(), () => {
      if (body.includes('"tools/list"')) listed.resolve();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const own = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return {
    url: own,
    token,
    listed: listed.promise,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
    },
  };
}
