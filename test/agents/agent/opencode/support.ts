import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Link } from '../../../../src/agents/agent/driver.ts';
import { PLACE_FILE, type Place } from '../../../../src/agents/agent/drivers/opencode/place.ts';
import type { AgentEvent, Decision } from '../../../../src/agents/agent/event.ts';

export interface Call {
  readonly method: string;
  readonly path: string;
  readonly body: Record<string, unknown>;
}

/** A server that answers as opencode's does, from what the test has put into it. */
export async function fakeServer(password = 'pw') {
  const streams = new Set<ServerResponse>();
  const calls: Call[] = [];
  const gets: Record<string, unknown> = { '/session/status': {}, '/permission': [], '/question': [], '/session?roots=true': [] };
  const posts: Record<string, (body: Record<string, unknown>) => { status: number; body?: unknown }> = {};
  const waiters = new Set<() => void>();
  const server = createServer(async (request, response) => {
    let text = '';
    for await (const chunk of request) text += chunk;
    const path = request.url!;
    if (request.headers.authorization !== `Basic ${Buffer.from(`opencode:${password}`).toString('base64')}`) {
      response.writeHead(401).end();
    } else if (path === '/event') {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      streams.add(response);
      response.write(`data: ${JSON.stringify({ type: 'server.connected', properties: {} })}\n\n`);
    } else if (request.method === 'GET') {
      const found = gets[path.replace('?limit=50', '')];
      response.writeHead(found === undefined ? 404 : 200).end(JSON.stringify(found ?? {}));
    } else {
      const body = text === '' ? {} : (JSON.parse(text) as Record<string, unknown>);
      const answer = posts[path]?.(body) ?? { status: 200, body: true };
      response.writeHead(answer.status).end(answer.body === undefined ? '' : JSON.stringify(answer.body));
      calls.push({ method: 'POST', path, body });
    }
    for (const look of waiters) look();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    gets,
    posts,
    calls,
    send: (type: string, properties: object) => {
      for (const stream of streams) stream.write(`data: ${JSON.stringify({ type, properties })}\n\n`);
    },
    /** Ends the connections, not the server. */
    drop: () => {
      for (const stream of streams) stream.destroy();
      streams.clear();
    },
    called: (path: string) =>
      new Promise<Call>((resolve) => {
        const look = () => {
          const call = calls.find((one) => one.path === path);
          if (!call) return;
          waiters.delete(look);
          resolve(call);
        };
        waiters.add(look);
        look();
      }),
    async [Symbol.asyncDispose]() {
      for (const stream of streams) stream.destroy();
      server.closeAllConnections();
      server.close();
    },
  };
}

/** The daemon's end of a connection: hears, and answers as it is told to. */
export async function farmEnd(place: Omit<Place, 'password' | 'startedAt'>, more: { mode?: 'window' | 'headless'; fresh?: boolean } = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'furrow-opencode-'));
  await writeFile(join(folder, PLACE_FILE), JSON.stringify({ password: 'pw', startedAt: 0, ...place }));
  const end = new AbortController();
  const heard: AgentEvent[] = [];
  const waiters = new Set<() => void>();
  const answers: Partial<Record<AgentEvent['on'], Decision>> = {};
  const link: Link = {
    request: {
      settings: { driver: 'opencode', args: [], mode: more.mode ?? 'window', config_home: 'user', permission: 'act' },
      agent: 'ada',
      folder,
      home: folder,
      worktree: folder,
      root: folder,
      promptFile: join(folder, 'prompt.md'),
      prompt: 'the task',
      session: '',
      resume: false,
      hook: { url: '', relay: [] },
      mcp: '',
      env: {},
    },
    fresh: more.fresh ?? true,
    session: undefined,
    transcript: undefined,
    signal: end.signal,
    async heard(event) {
      heard.push(event);
      for (const look of waiters) look();
      return answers[event.on] ?? { do: 'pass' };
    },
    warn: () => {},
    tell: async () => {},
  };
  const hears = (on: AgentEvent['on']) =>
    new Promise<AgentEvent>((resolve) => {
      const look = () => {
        const event = heard.find((one) => one.on === on);
        if (!event) return;
        waiters.delete(look);
        resolve(event);
      };
      waiters.add(look);
      look();
    });
  return {
    link,
    heard,
    answers,
    hears,
    folder,
    async [Symbol.asyncDispose]() {
      end.abort();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
