import { connect } from 'node:net';

/** The first wait for a daemon that is away, in ms; each is twice the one before, up to the longest. */
const FIRST_MS = 50;
const LONGEST_MS = 1000;

interface Ask {
  readonly url: string;
  readonly token: string;
  readonly payload: string | Buffer;
  /** The longest wait for a daemon, counted from each loss of one. */
  readonly patienceMs: number;
  /** True while somebody still waits for the reply. */
  readonly wanted: () => boolean;
  readonly signal?: AbortSignal | undefined;
}

/** Hands a hook's payload to the daemon and answers the body of its reply; undefined when there is no daemon, or it refuses the payload. */
export async function ask(hook: Ask): Promise<string | undefined> {
  let lost = performance.now();
  for (let pause = FIRST_MS; ; pause = Math.min(pause * 2, LONGEST_MS)) {
    const { met, reply } = await post(hook);
    if (reply !== undefined) return reply.status === 200 ? reply.body : undefined;
    if (met) lost = performance.now();
    if (!hook.wanted() || performance.now() - lost >= hook.patienceMs) return undefined;
    await new Promise((again) => setTimeout(again, pause));
  }
}

interface Posted {
  /** There was a daemon. */
  readonly met: boolean;
  readonly reply?: { readonly status: number; readonly body: string } | undefined;
}

/** An agent waits for this at every tool, so it says the few words of HTTP itself: `node:http` takes 45 ms to load, more than all the rest. */
function post({ url, token, payload, signal }: Ask): Promise<Posted> {
  const { promise, resolve } = Promise.withResolvers<Posted>();
  const { hostname, port, host, pathname } = new URL(url);
  const head = [`POST ${pathname} HTTP/1.1`, `Host: ${host}`, 'Connection: close', `X-Furrow: ${token}`];
  const said: Buffer[] = [];
  let met = false;
  const socket = connect({ port: Number(port), host: hostname, ...(signal && { signal }) }, () => {
    met = true;
  });
  socket.on('error', () => {});
  socket.on('data', (chunk) => said.push(chunk));
  socket.on('close', () => resolve({ met, reply: read(Buffer.concat(said)) }));
  socket.write(`${[...head, `Content-Length: ${Buffer.byteLength(payload)}`].join('\r\n')}\r\n\r\n`);
  socket.write(payload);
  return promise;
}

/** The reply if it is whole, else nothing: half a reply could mean something else. */
function read(reply: Buffer): Posted['reply'] {
  const end = reply.indexOf('\r\n\r\n');
  const head = reply.subarray(0, Math.max(0, end)).toString();
  const body = reply.subarray(end + 4);
  const status = /^HTTP\/1\.\d (\d{3}) /.exec(head)?.[1];
  const length = /^content-length: *(\d+)/im.exec(head)?.[1];
  return status !== undefined && Number(length) === body.length ? { status: Number(status), body: body.toString() } : undefined;
}
