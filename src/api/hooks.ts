import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { isErrno } from '../platform/error.ts';

/** A payload holds a tool's whole result at times; one longer than this is none of ours. */
const MAX_BODY = 32 * 1024 * 1024;

export interface HookServer {
  readonly port: number;
  /** Below this each hook of an attempt has its name. */
  urlOf(attempt: number): string;
  /** Where the attempt's agent finds furrow's tools, by MCP over http. */
  mcpOf(attempt: number): string;
  tokenOf(attempt: number): string;
  close(): Promise<void>;
}

/** `name` is that of the hook, or `mcp`. What it answers is the body of the reply; undefined: an empty one. */
export type HookHandler = (attempt: number, name: string, payload: unknown, signal: AbortSignal) => Promise<unknown>;

/** The name under which requests of MCP clients are handed on; no agent has a hook of that name. */
export const MCP = 'mcp';

/**
 * Where agents' hooks come in: http on the loopback interface, because that is what they speak. The port is kept from
 * one daemon to the next, for agents that outlive one know no other. A token of its own for each attempt, derived from
 * the farm's secret, says who speaks; a browser (an `Origin`, another `Host`) gets nothing.
 */
export async function serveHooks(
  secret: string,
  wanted: number,
  handle: HookHandler,
  onBug: (error: unknown) => void,
): Promise<HookServer> {
  const tokenOf = (attempt: number) => createHmac('sha256', secret).update(`a${attempt}`).digest('hex');
  const server = createServer((request, response) => {
    answer(request, response, tokenOf, handle).catch((error: unknown) => {
      onBug(error);
      end(response, 500);
    });
  });
  // A request for permission may wait for a person for as long as the configuration says.
  server.requestTimeout = 0;
  server.keepAliveTimeout = 60_000;
  const port = await listen(server, wanted);
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
    // Somebody else took it meanwhile: agents of the last daemon are heard by their transcripts only.
    if (wanted !== 0 && (isErrno(error, 'EADDRINUSE') || isErrno(error, 'EACCES'))) return at(0);
    throw error;
  });
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  tokenOf: (attempt: number) => string,
  handle: HookHandler,
): Promise<void> {
  const path = /^\/hook\/(\d{1,15})\/([A-Za-z-]{1,64})$/.exec(request.url ?? '');
  const host = /^127\.0\.0\.1:\d+$/.test(request.headers.host ?? '');
  // An MCP client asks whether we would push to it; the answer it understands is this one.
  if (path?.[2] === MCP && request.method !== 'POST') return end(response, 405);
  if (!path || request.method !== 'POST' || !host || request.headers.origin !== undefined) return end(response, 404);
  const attempt = Number(path[1]);
  const token = request.headers['x-furrow'] ?? request.headers.authorization?.replace(/^Bearer /, '') ?? '';
  if (!same(String(token), tokenOf(attempt))) return end(response, 403);
  const body = await read(request);
  if (body === undefined) return end(response, 413);
  let payload: unknown;
  try {
    payload = JSON.parse(body || '{}');
  } catch {
    return end(response, 400);
  }
  const gone = new AbortController();
  response.on('close', () => gone.abort());
  const reply = await handle(attempt, path[2]!, payload, gone.signal);
  // A notification of an MCP client is taken and not answered.
  if (path[2] === MCP && reply === undefined) return end(response, 202);
  response.setHeader('content-type', 'application/json');
  end(response, 200, JSON.stringify(reply ?? {}));
}

function end(response: ServerResponse, status: number, body = ''): void {
  if (response.headersSent || response.destroyed) return;
  response.statusCode = status;
  response.end(body);
}

function same(given: string, wanted: string): boolean {
  const [a, b] = [Buffer.from(given), Buffer.from(wanted)];
  return a.length === b.length && timingSafeEqual(a, b);
}

async function read(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BODY) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}
