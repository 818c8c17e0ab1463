import { createReadStream } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { WebSocket } from 'ws';
import type { Certificate } from './certificate.ts';
import { FRAME_BYTES } from './frames.ts';

export interface ListenOrder extends Certificate {
  readonly address: string;
  /** 0: one that is free. */
  readonly port: number;
  /** Called with every host that comes; it has said nothing yet. */
  attend(ws: WebSocket): void;
  /** The file with the objects that a host asks for, to be removed afterwards; `undefined`: it gets none. */
  objects(key: string, body: string): Promise<{ readonly path: string; remove(): Promise<void> } | undefined>;
  /** Takes the commits of an agent's attempt; `undefined`: of this host and order there are none to take. The answer is why it is not taken. */
  work(key: string, id: string): Promise<((body: Readable) => Promise<string | undefined>) | undefined>;
  onBug(error: unknown): void;
}

export interface Listener {
  readonly port: number;
  close(): Promise<void>;
}

/** Connections at a time: a host has one, and one more while it fetches objects. */
const MOST = 512;
const BODY_BYTES = 16 * 1024;
const HEAD_MS = 5000;
/** A request for objects is short; the commits of an agent may take long. */
const ASK_MS = 2 * HEAD_MS;
const WORK_MS = 30 * 60_000;

/** Opens the door for hosts: TLS, one path for their lines and one for objects. */
export async function listen(order: ListenOrder): Promise<Listener> {
  const { WebSocketServer } = await import('ws');
  const lines = new WebSocketServer({ noServer: true, maxPayload: FRAME_BYTES, perMessageDeflate: false, clientTracking: false });
  const server = createServer(
    {
      key: order.key,
      cert: order.cert,
      minVersion: 'TLSv1.3',
      maxHeaderSize: 4096,
      headersTimeout: HEAD_MS,
      requestTimeout: WORK_MS,
      handshakeTimeout: HEAD_MS,
    },
    (request, response) => {
      serveRequest(order, request, response).catch((error: unknown) => {
        order.onBug(error);
        response.destroy();
      });
    },
  );
  server.maxConnections = MOST;
  const open = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy());
    // A page in a browser names its origin; a host is no page.
    if (request.url !== '/host' || request.headers.origin !== undefined) return void socket.destroy();
    lines.handleUpgrade(request, socket, head, (ws) => order.attend(ws));
  });
  const port = await listening(server, order);
  return {
    port,
    async close() {
      const closed = new Promise<void>((done) => server.close(() => done()));
      for (const socket of open) socket.destroy();
      await closed;
    },
  };
}

function listening(server: Server, { address, port }: ListenOrder): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, address, () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

async function serveRequest(order: ListenOrder, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const key = /^Bearer ([0-9a-f]{64})$/.exec(request.headers.authorization ?? '')?.[1];
  const id = /^\/work\/(\d{1,15}\.\d{1,15})$/.exec(request.url ?? '')?.[1];
  if (request.method === 'POST' && id !== undefined && key !== undefined) return serveWork(await order.work(key, id), request, response);
  const late = setTimeout(() => request.destroy(), ASK_MS);
  await serveObjects(order, { key, request, response }).finally(() => clearTimeout(late));
}

async function serveWork(
  take: Awaited<ReturnType<ListenOrder['work']>>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  if (!take) {
    response.writeHead(403, { connection: 'close' }).end();
    return void request.destroy();
  }
  const refused = await take(request);
  response.writeHead(refused === undefined ? 200 : 422, { connection: 'close' }).end(refused ?? '');
}

interface Asked {
  readonly key: string | undefined;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

async function serveObjects(order: ListenOrder, { key, request, response }: Asked): Promise<void> {
  const body = request.method === 'POST' && request.url === '/objects' && key !== undefined ? await bodyOf(request) : undefined;
  const file = body === undefined ? undefined : await order.objects(key!, body);
  if (!file) return void response.writeHead(403, { connection: 'close' }).end();
  try {
    response.writeHead(200, { 'content-type': 'application/octet-stream' });
    // A host that hangs up in the middle asks again.
    await pipeline(createReadStream(file.path), response).catch(() => {});
  } finally {
    await file.remove();
  }
}

/** The text of a request; `undefined`: it is too long. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > BODY_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}
