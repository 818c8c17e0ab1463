import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { readPage } from './files.ts';
import { PAGE_LIMITS, type PageLimits } from './limits.ts';
import { attendPage, type PageLine, type PageService } from './line.ts';
import { answerHttp, end, type Routes, type Served, securityHeaders } from './route.ts';
import { sessionsOf } from './sessions.ts';
import { makeTokens, type Tokens } from './tokens.ts';

export type { Routes } from './route.ts';

/** A door as the next daemon finds it: where it was, and the secret behind the sessions of its pages. */
export interface KeptDoor {
  readonly port: number;
  readonly secret: string;
}

export interface PageOrder extends PageService {
  /** The folder with the files of the page. */
  readonly folder: string;
  readonly routes: Routes;
  readonly limits?: Partial<PageLimits>;
}

export interface PageServer extends KeptDoor {
  readonly tokens: Tokens;
  /** Reads the files of the page anew: they may have been built since. */
  refresh(): Promise<void>;
  close(): Promise<void>;
}

/** Opens the page's door: http on the loopback interface, on a port that nobody knows before, or where `kept` was. */
export async function openPage(
  order: PageOrder,
  kept: KeptDoor = { port: 0, secret: randomBytes(32).toString('hex') },
): Promise<PageServer> {
  const { WebSocketServer } = await import('ws');
  const limits = { ...PAGE_LIMITS, ...order.limits };
  const lines = new Map<WebSocket, PageLine>();
  const pages = new WebSocketServer({ noServer: true, maxPayload: limits.frameBytes, perMessageDeflate: false, clientTracking: false });
  const served = {
    port: 0,
    tokens: makeTokens(),
    sessions: sessionsOf(kept.secret),
    files: await readPage(order.folder),
    routes: order.routes,
  };
  const server = httpServer(served, order.onBug, limits);
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    const status = refusedUpgrade(request, served, lines.size < limits.pages);
    if (status !== undefined) return void hangUp(socket, status);
    pages.handleUpgrade(request, socket, head, (ws) => {
      lines.set(ws, attendPage(ws, order, served, limits));
      ws.on('close', () => lines.delete(ws));
    });
  });
  served.port = await listen(server, kept.port);
  const pinging = pingAll(lines, limits.pingMs);
  return {
    port: served.port,
    secret: kept.secret,
    tokens: served.tokens,
    async refresh() {
      served.files = await readPage(order.folder);
    },
    async close() {
      clearInterval(pinging);
      await Promise.all([...lines.values()].map((line) => line.close()));
      const closed = new Promise<void>((done) => server.close(() => done()));
      server.closeAllConnections();
      const deaf = setTimeout(() => [...lines.keys()].map((ws) => ws.terminate()), 500);
      await closed;
      clearTimeout(deaf);
    },
  };
}

function httpServer(served: Served, onBug: (error: unknown) => void, limits: PageLimits): Server {
  const { headBytes, headMs, requestMs, lookMs, connections } = limits;
  const options = {
    maxHeaderSize: headBytes,
    headersTimeout: headMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: lookMs,
    keepAliveTimeout: 5_000,
  };
  const server = createServer(options, (request, response) => {
    for (const [name, value] of Object.entries(securityHeaders(`127.0.0.1:${served.port}`))) response.setHeader(name, value);
    const status = refusedBy(request, served.port, 'http');
    if (status !== undefined) return void end(response, status, 'this address is for the page of furrow alone');
    response.setHeader('content-security-policy', securityHeaders(request.headers.host ?? '')['content-security-policy']!);
    answerHttp(served, request, response).catch((error: unknown) => {
      onBug(error);
      end(response, 500, 'furrow has a bug');
    });
  });
  server.maxConnections = connections;
  return server;
}

/** A WebSocket is at one path, asked for by GET, by the page itself. */
function refusedUpgrade(request: IncomingMessage, { port }: Served, room: boolean): number | undefined {
  const refused = refusedBy(request, port, 'ws');
  if (refused !== undefined) return refused;
  if (request.url !== '/ws') return 404;
  if (request.method !== 'GET') return 405;
  return room ? undefined : 503;
}

function hangUp(socket: Duplex, status: number): void {
  socket.on('error', () => {});
  socket.end(`HTTP/1.1 ${status} Refused\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`, () => socket.destroy());
}

function listen(server: Server, wanted: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(wanted, '127.0.0.1', () => {
      server.off('error', reject);
      resolve((server.address() as AddressInfo).port);
    });
  });
}

/** A page whose machine slept, or whose tab is gone without a word, answers no ping. */
function pingAll(lines: ReadonlyMap<WebSocket, unknown>, ms: number): NodeJS.Timeout {
  const answered = new WeakSet<WebSocket>();
  const asked = new WeakSet<WebSocket>();
  return setInterval(() => {
    for (const ws of lines.keys()) {
      if (asked.has(ws) && !answered.delete(ws)) {
        ws.terminate();
        continue;
      }
      if (!asked.has(ws)) ws.on('pong', () => answered.add(ws));
      asked.add(ws);
      ws.ping();
    }
  }, ms).unref();
}

/** The head of a request: names and values in turn, as they came. */
interface Head {
  readonly rawHeaders: readonly string[];
}

/** `ws`: the request wants to become a WebSocket. */
export type Way = 'http' | 'ws';

/** The status with which a request is refused before anything else of it is looked at. */
type Refused = 400 | 403 | 421;

/** Headers that decide. One that comes twice may be read in two ways, so it is refused. */
const SINGLE = ['host', 'origin', 'sec-fetch-site', 'authorization'];

/** Sites of which a browser says that the page itself, or the person by its address, sent the request. */
const OWN_SITES = ['same-origin', 'none'];

/**
 * Decides by its headers whether a request can come from the page at this port. A rebound name has another Host; a
 * page elsewhere has another Origin, also one at another port of this machine, where agents run servers of their own. A WebSocket
 * must name its Origin, because every browser does. No cookie is ever set: it would be sent to those servers, too.
 */
export function refusedBy(request: Head, port: number, way: Way): Refused | undefined {
  const values = (name: string) => request.rawHeaders.filter((_, at, all) => at % 2 === 1 && all[at - 1]?.toLowerCase() === name);
  if (SINGLE.some((name) => values(name).length > 1)) return 400;
  const [[host], [origin], [site]] = [values('host'), values('origin'), values('sec-fetch-site')];
  if (host !== `127.0.0.1:${port}` && host !== `localhost:${port}`) return 421;
  if (origin === undefined ? way === 'ws' : origin !== `http://${host}`) return 403;
  return site === undefined || OWN_SITES.includes(site) ? undefined : 403;
}
