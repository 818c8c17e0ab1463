import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';

/** Linux: only the place in the tree is opened, whatever is there; Node has no name for it. */
const O_PATH = 0x200000;

interface Order {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly body?: string;
}

/**
 * A request to whoever listens at a socket. The folder may be an agent's to write: the very file that was looked at is called, and a link
 * that leads to a socket of somebody else is refused.
 */
export function fetchBySocket(socket: string, path: string, { method, headers, signal, body }: Order): Promise<Response> {
  const file = openSync(socket, O_PATH | constants.O_NOFOLLOW);
  return new Promise<Response>((resolve, reject) => {
    if (!fstatSync(file).isSocket()) throw new Error(`${socket} is no socket`);
    const sent = request(
      { socketPath: `/proc/self/fd/${file}`, path, method, headers: { host: 'localhost', ...headers }, signal },
      (reply) => {
        const stream = Readable.toWeb(reply) as ReadableStream<Uint8Array>;
        resolve(new Response(reply.statusCode === 204 ? null : stream, { status: reply.statusCode ?? 502 }));
      },
    );
    sent.on('error', reject);
    sent.end(body);
  }).finally(() => closeSync(file));
}
