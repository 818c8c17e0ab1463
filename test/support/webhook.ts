import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Posted {
  readonly key: string | undefined;
  readonly body: string;
}

export interface Webhook extends AsyncDisposable {
  readonly url: string;
  /** Every request, the ones that were refused too. */
  readonly got: Posted[];
  /** The answers to the next requests; 200 after them. */
  readonly answers: number[];
}

/** A receiver on this machine. */
export async function webhook(): Promise<Webhook> {
  const got: Posted[] = [];
  const answers: number[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => {
      body += text;
    });
    request.on('end', () => {
      got.push({ key: request.headers['idempotency-key'] as string | undefined, body });
      response.writeHead(answers.shift() ?? 200, { connection: 'close' }).end('ok');
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/secret-path`,
    got,
    answers,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}
