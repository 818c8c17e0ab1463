import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';

/** Linux: opens only the directory entry, whatever kind of file it is. Node has no name for this flag. */
const O_PATH = 0x200000;

interface Order {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
  readonly body?: string;
}

/**
 * Sends a request to the process that listens at a socket. An agent may be able to write to the folder, so the request goes to the very
 * file that was looked at, and a link to somebody else's socket is refused.
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
