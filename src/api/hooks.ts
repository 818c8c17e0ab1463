import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isErrno } from '../platform/error.ts';
import { readBody, TOO_LARGE } from './read-body.ts';
import { type Budget, budget } from './request-budget.ts';

/**
 * The bounds of the door. A client without a token gets no further than the head of a request: 512 connections with 16 KiB each.
 * A hundred agents have two or three connections each, and some of them wait for a person.
 */
export const HOOK_LIMITS = {
  connections: 512,
  headBytes: 16 * 1024,
  headMs: 5_000,
  requestMs: 15_000,
  lookMs: 1_000,
  room: 64 * 1024 * 1024,
};

export interface HookServer {
  readonly port: number;
  /** The path below which each hook of an attempt has its name. */
  urlOf(attempt: number): string;
  /** The address of furrow's tools for the attempt's agent, by MCP over http. */
  mcpOf(attempt: number): string;
  tokenOf(attempt: number): string;
  close(): Promise<void>;
}

/**
 * `name` is that of the hook, or `mcp`. What it answers is the body of the reply; undefined: an empty one. The payload is
 * `TOO_LARGE` in place of one that is.
 */
export type HookHandler = (attempt: number, name: string, payload: unknown, signal: AbortSignal) => Promise<unknown>;

/** The name under which requests of MCP clients are handed on; no agent has a hook of that name. */
export const MCP = 'mcp';

/** The versions of that protocol that we speak, the newest first. They differ in nothing that we use. */
export const MCP_VERSIONS = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

/**
 * The door for agents' hooks: http on the loopback interface, because that is what they speak. The port is kept from
 * one daemon to the next, because agents that outlive a daemon know no other. A token of its own for each attempt, derived from
 * the farm's secret, says who speaks; a browser (an `Origin`, another `Host`) gets nothing.
 */
export async function serveHooks(
  secret: string,
  wanted: number,
  handle: HookHandler,
  onBug: (error: unknown) => void,
  given: Partial<typeof HOOK_LIMITS> = {},
): Promise<HookServer> {
  const limits = { ...HOOK_LIMITS, ...given };
  const tokenOf = (attempt: number) => createHmac('sha256', secret).update(`a${attempt}`).digest('hex');
  const door: Door = { port: 0, room: budget(limits.room), tokenOf, handle };
  const options = {
    maxHeaderSize: limits.headBytes,
    headersTimeout: limits.headMs,
    // Until the request is complete. A request for permission may then wait for a person for as long as the configuration says.
    requestTimeout: limits.requestMs,
    connectionsCheckingInterval: limits.lookMs,
    keepAliveTimeout: 60_000,
  };
  const server = createServer(options, (request, response) => {
    answer(door, request, response).catch((error: unknown) => {
      // A client that hung up in the middle of its request is no error of ours.
      if (!request.destroyed || request.complete) onBug(error);
      refuse(response, 500);
    });
  });
  server.maxConnections = limits.connections;
  const port = await listen(server, wanted);
  door.port = port;
  return {
    port,
    tokenOf,
    urlOf: (attempt) => `http://127.0.0.1:${port}/hook/${attempt}`,
    mcpOf: (attempt) => `http://127.0.0.1:${port}/hook/${attempt}/${MCP}`,
    close: () =>
      new Promise((closed) => {
        server.close(() => closed());
        server.closeAllConnections();
      }),
  };
}

async function listen(server: ReturnType<typeof createServer>, wanted: number): Promise<number> {
  const at = (port: number) =>
    new Promise<number>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve((server.address() as AddressInfo).port);
      });
    });
  return at(wanted).catch((error: unknown) => {
    // Another program took the port: agents of the last daemon are followed by their transcripts only.
    if (wanted !== 0 && (isErrno(error, 'EADDRINUSE') || isErrno(error, 'EACCES'))) return at(0);
    throw error;
  });
}

interface Door {
  port: number;
  readonly room: Budget;
  tokenOf(attempt: number): string;
  readonly handle: HookHandler;
}

async function answer(door: Door, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const path = /^\/hook\/(\d{1,15})\/([A-Za-z-]{1,64})$/.exec(request.url ?? '');
  const name = path?.[2] ?? '';
  // An MCP client asks for a stream of pushes; this status tells it that there is none.
  if (name === MCP && request.method !== 'POST') return refuse(response, 405);
  if (!path || request.method !== 'POST' || !isLocal(request, door.port)) return refuse(response, 404);
  const attempt = Number(path[1]);
  const token = request.headers['x-furrow'] ?? request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  if (!same(String(token), door.tokenOf(attempt))) return refuse(response, 403);
  const version = request.headers['mcp-protocol-version'];
  if (name === MCP && version !== undefined && !MCP_VERSIONS.includes(String(version)))
    return refuse(response, 400, `the version ${version} of MCP is not spoken here; ${MCP_VERSIONS.join(', ')} are`);
  const body = await readBody(request, name, door.room);
  if (body === TOO_LARGE && name === MCP) return refuse(response, 413, 'the message is too large');
  if (body === undefined) return refuse(response, 413);
  if (body === 'busy') return refuse(response, 503);
  const payload = body === TOO_LARGE ? { value: TOO_LARGE } : parsed(body);
  if (!payload) return refuse(response, 400);
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const reply = await door.handle(attempt, name, payload.value, gone.signal);
  // A notification of an MCP client is taken and not answered.
  if (name === MCP && reply === undefined) return end(response, 202);
  response.setHeader('content-type', 'application/json');
  end(response, 200, JSON.stringify(reply ?? {}));
}

/** True for a request that no browser sent: it names this door by its address, and has no `Origin`. */
function isLocal({ headers }: IncomingMessage, port: number): boolean {
  return headers.host === `127.0.0.1:${port}` && headers.origin === undefined && headers['sec-fetch-site'] === undefined;
}

function parsed(body: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(body || '{}') };
  } catch {
    return undefined;
  }
}

function end(response: ServerResponse, status: number, body = ''): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  response.end(body);
}

/** The rest of the request is not read. `why` is for MCP clients. */
function refuse(response: ServerResponse, status: number, why?: string): void {
  if (!response.headersSent) response.setHeader('connection', 'close');
  if (why !== undefined && !response.headersSent) response.setHeader('content-type', 'application/json');
  end(response, status, why && JSON.stringify({ jsonrpc: '2.0', id: null, error: { code: -32600, message: why } }));
}

function same(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}
