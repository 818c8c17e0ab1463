import { rmSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';

/** A port inside a fence, and the host and port that it stands for; null: the proxy itself, for programs that can use one. */
interface Way {
  readonly port: number;
  readonly to: string | null;
}

/** A port of a program inside, called from outside through a socket. */
interface WayIn {
  readonly port: number;
  readonly from: string;
}

/**
 * `forward SOCKET WAYS`: runs inside a fence that has no network. It listens on the loopback interface and passes every connection to the
 * proxy behind the socket, and connections from outside to a port inside. It prints `ready` once all ports are open, and nothing else.
 */
async function main(): Promise<void> {
  const [socket = '', ways = '[]'] = process.argv.slice(2);
  await Promise.all((JSON.parse(ways) as (Way | WayIn)[]).map((way) => ('from' in way ? openIn(way) : open(socket, way))));
  process.stdout.write('ready\n');
  // The process that waited for it is gone.
  process.stdout.on('error', () => {});
}

/** If no program listens at the port, the caller is hung up on, as it would be without us. */
function openIn({ port, from }: WayIn): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
    bound(near, far);
    join(near, far);
  });
  rmSync(from, { force: true });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(from, () => resolve());
  });
}

/** Both end together. */
function bound(near: Socket, far: Socket): void {
  for (const [one, other] of [
    [near, far],
    [far, near],
  ] as const)
    one.on('error', () => other.destroy()).on('close', () => other.destroy());
}

function open(path: string, { port, to }: Way): Promise<void> {
  const server = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ path, allowHalfOpen: true });
    bound(near, far);
    if (to === null) return join(near, far);
    far.write(`CONNECT ${to} HTTP/1.1\r\nhost: ${to}\r\n\r\n`);
    greeted(
      far,
      () => join(near, far),
      () => near.destroy(),
    );
  });
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve());
  });
}

function join(near: Socket, far: Socket): void {
  near.pipe(far);
  far.pipe(near);
}

/** Reads the answer to CONNECT, up to its empty line. */
function greeted(far: Socket, yes: () => void, no: () => void): void {
  let text = Buffer.alloc(0);
  const hear = (chunk: Buffer) => {
    text = Buffer.concat([text, chunk]);
    const end = text.indexOf('\r\n\r\n');
    if (end < 0 && text.length < 16 * 1024) return;
    far.off('data', hear).pause();
    if (end < 0 || !/^HTTP\/1\.1 200 /.test(text.toString('latin1'))) return no();
    if (text.length > end + 4) far.unshift(text.subarray(end + 4));
    yes();
  };
  far.on('data', hear);
}

main().catch(() => process.exit(1));
