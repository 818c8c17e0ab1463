import { lookup } from 'node:dns/promises';
import { chmod, unlink } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import { connect, type Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { isPublic, judgeCall } from './rules.ts';

/** The way out of a fence that has no network: a socket through which only allowed hosts can be called. */
export interface ProxyServer {
  close(): Promise<void>;
}

interface ProxyOptions {
  /** Called for each connection, so that a change of the configuration takes effect at once. */
  rules(): readonly string[];
  /** A call was refused. */
  refused(host: string, why: string): void;
  /** Resolves a name; by the machine's own resolver if left out. */
  addresses?(name: string): Promise<readonly string[]>;
}

/** A browser has six connections to a host; an agent and what it starts stay far below this. */
const CONNECTIONS = 256;
const CONNECT_MS = 15_000;

/** Listens at a socket. It speaks the protocol of `https_proxy`: CONNECT, and http with whole addresses. */
export async function serveProxy(path: string, options: ProxyOptions): Promise<ProxyServer> {
  const server = createServer({ maxHeaderSize: 32 * 1024, headersTimeout: 10_000, requestTimeout: 0 });
  const open = new Set<Duplex>();
  server.maxConnections = CONNECTIONS;
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.on('close', () => open.delete(socket)).on('error', () => {});
  });
  server.on('connect', (asked: IncomingMessage, client: Duplex, head: Buffer) => void tunnel(asked, client, head, options));
  server.on('request', (asked: IncomingMessage, answer: ServerResponse) => void forward(asked, answer, options));
  await unlink(path).catch(() => {});
  await listen(server, path);
  await chmod(path, 0o600);
  return {
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        for (const socket of open) socket.destroy();
      }),
  };
}

function listen(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, () => resolve());
  });
}

/** The address to call, or why there is none. It is resolved once and then called, so that the name cannot lead elsewhere in between. */
async function addressOf(host: string, port: number, options: ProxyOptions): Promise<{ address: string } | { refused: string }> {
  const verdict = judgeCall(options.rules(), host, port);
  if ('refused' in verdict) return verdict;
  if (verdict.to === 'here') return { address: '127.0.0.1' };
  const find = options.addresses ?? ((name: string) => lookup(name, { all: true }).then((all) => all.map(({ address }) => address)));
  const found = await find(host).catch(() => undefined);
  if (found === undefined) return { refused: 'the name leads to no address' };
  const address = found.find(isPublic);
  return address === undefined ? { refused: 'it leads to this machine or its neighbours' } : { address };
}

async function tunnel(asked: IncomingMessage, client: Duplex, head: Buffer, options: ProxyOptions): Promise<void> {
  const [, host = '', port = ''] = /^([^:@/\s]+):(\d{1,5})$/.exec(asked.url ?? '') ?? [];
  const found = await addressOf(host, Number(port), options);
  if ('refused' in found) {
    options.refused(host || String(asked.url), found.refused);
    client.end(`HTTP/1.1 403 Forbidden\r\ncontent-type: text/plain\r\nconnection: close\r\n\r\n${words(host, found.refused)}`);
    return;
  }
  const far = connect({ host: found.address, port: Number(port), timeout: CONNECT_MS });
  far.once('connect', () => {
    far.setTimeout(0);
    client.write('HTTP/1.1 200 Connection established\r\n\r\n');
    if (head.length > 0) far.write(head);
    far.pipe(client);
    client.pipe(far);
  });
  far.on('timeout', () => far.destroy());
  far.on('error', () => client.end('HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n'));
  far.on('close', () => client.destroy());
  client.on('close', () => far.destroy());
}

async function forward(asked: IncomingMessage, answer: ServerResponse, options: ProxyOptions): Promise<void> {
  const url = URL.parse(asked.url ?? '');
  const port = url ? Number(url.port || 80) : 0;
  const host = url?.protocol === 'http:' && url.username === '' ? url.hostname : '';
  const found = await addressOf(host, port, options);
  if (!url || 'refused' in found) {
    const why = 'refused' in found ? found.refused : 'it is no address';
    options.refused(host || String(asked.url), why);
    answer.writeHead(403, { 'content-type': 'text/plain', connection: 'close' }).end(words(host, why));
    return;
  }
  const { 'proxy-connection': _ours, 'proxy-authorization': _its, ...headers } = asked.headers;
  const far = request({
    ...{ host: found.address, port, method: asked.method, path: `${url.pathname}${url.search}`, timeout: CONNECT_MS },
    headers: { ...headers, host: url.host },
  });
  far.on('response', (reply) => {
    answer.writeHead(reply.statusCode ?? 502, reply.headers);
    reply.pipe(answer);
  });
  far.on('timeout', () => far.destroy());
  far.on('error', () => (answer.headersSent ? answer.destroy() : answer.writeHead(502, { connection: 'close' }).end()));
  answer.on('close', () => far.destroy());
  asked.pipe(far);
}

const words = (host: string, why: string) =>
  `furrow does not let this call out to ${host}: ${why}. A person can add it to fence.network in furrow.yaml.\n`;
