import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, unlinkSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Connection, LaunchRequest, Link } from '../../../../src/agents/agent/driver.ts';
import { codex } from '../../../../src/agents/agent/drivers/codex/index.ts';
import { socketOf } from '../../../../src/agents/agent/drivers/codex/socket.ts';
import { type AgentEvent, type Decision, PASS } from '../../../../src/agents/agent/event.ts';

type Message = Record<string, unknown>;
export type Call = { readonly method: string; readonly params: Record<string, unknown> };

export const THREAD = 't-1';

/** The messages of a recorded session that came from the server, or went to it. */
export function recorded(name: string, dir: 'in' | 'out'): Message[] {
  const lines = readFileSync(join(import.meta.dirname, 'samples', `${name}.jsonl`), 'utf8')
    .trim()
    .split('\n');
  return lines.map((line) => JSON.parse(line) as { dir: string; msg: Message }).flatMap((line) => (line.dir === dir ? [line.msg] : []));
}

/** An app-server as far as furrow can tell: a WebSocket on a unix socket behind a link, with one conversation. */
export class FakeServer {
  readonly calls: Call[] = [];
  readonly answers: Message[] = [];
  readonly folder: string;
  /** What it answers instead of what it would by itself; undefined: no answer at all. */
  readonly says = new Map<string, (params: Record<string, unknown>) => { result?: unknown; error?: unknown } | undefined>();
  threads: Message[] = [{ id: THREAD, ephemeral: false, parentThreadId: null, model: 'm', path: '/rollout.jsonl' }];
  turns: Message[] = [];
  /** Given to everybody who joins. */
  open: Message[] = [];
  readonly #base: string;
  readonly #clients = new Set<WebSocket>();
  #server: Server | undefined;
  #changed: (() => void)[] = [];

  constructor() {
    this.#base = mkdtempSync(join(tmpdir(), 'furrow-codex-'));
    // Longer than a socket's own name may be.
    this.folder = join(this.#base, 'attempt-'.repeat(15));
    mkdirSync(this.folder, { recursive: true, mode: 0o700 });
  }

  async listen(): Promise<void> {
    const target = join(this.#base, 's');
    this.#server = createServer();
    new WebSocketServer({ server: this.#server }).on('connection', (client) => {
      this.#clients.add(client);
      client.on('message', (data) => this.#read(client, JSON.parse(String(data)) as Message));
      client.on('close', () => this.#clients.delete(client));
    });
    await new Promise<void>((resolve) => this.#server!.listen(target, resolve));
    symlinkSync(target, socketOf(this.folder));
  }

  /** As a crash of the connection: the server lives on. */
  drop(): void {
    for (const client of this.#clients) client.terminate();
  }

  tell(...messages: Message[]): void {
    for (const client of this.#clients) for (const message of messages) client.send(JSON.stringify(message));
  }

  event(method: string, params: Message): void {
    this.tell({ method, params: { threadId: THREAD, ...params } });
  }

  /** Waits until a call was made for the n-th time. */
  async called(method: string, times = 1): Promise<Call> {
    const made = () => this.calls.filter((call) => call.method === method);
    await this.until(() => made().length >= times);
    return made()[times - 1]!;
  }

  async until(holds: () => boolean): Promise<void> {
    while (!holds()) await new Promise<void>((resolve) => this.#changed.push(resolve));
  }

  changed(): void {
    for (const waiting of this.#changed.splice(0)) waiting();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.drop();
    await new Promise((resolve) => (this.#server ? this.#server.close(resolve) : resolve(undefined)));
    rmSync(this.#base, { recursive: true, force: true });
  }

  async restart(): Promise<void> {
    this.drop();
    await new Promise((resolve) => this.#server!.close(resolve));
    unlinkSync(socketOf(this.folder));
    await this.listen();
  }

  #read(client: WebSocket, message: Message): void {
    if (message['method'] === undefined) this.answers.push(message);
    else {
      const params = (message['params'] ?? {}) as Record<string, unknown>;
      this.calls.push({ method: String(message['method']), params });
      const said = this.says.get(String(message['method']));
      const answer = said ? said(params) : { result: this.#answer(String(message['method']), params) };
      if (message['id'] !== undefined && answer) client.send(JSON.stringify({ id: message['id'], ...answer }));
      if (message['method'] === 'thread/resume') for (const request of this.open) client.send(JSON.stringify(request));
    }
    this.changed();
  }

  #answer(method: string, params: Record<string, unknown>): unknown {
    const thread = this.threads.find((one) => one['id'] === params['threadId']);
    switch (method) {
      case 'thread/loaded/list':
        return { data: this.threads.map((one) => one['id']), nextCursor: null };
      case 'thread/start':
        this.threads.push({ id: THREAD, ephemeral: false });
        return { thread: this.threads.at(-1) };
      case 'thread/read':
      case 'thread/resume':
        return { thread };
      case 'thread/turns/list':
        return { data: this.turns.toReversed(), nextCursor: null };
      case 'turn/start':
        return { turn: { id: 'turn-9', status: 'inProgress' } };
      default:
        return {};
    }
  }
}

export function requestFor(folder: string, over: Partial<LaunchRequest> = {}): LaunchRequest {
  const settings = { driver: 'codex', args: [], mode: 'window', config_home: 'user', permission: 'act' } as const;
  const places = { folder, home: join(folder, 'home'), worktree: '/repo/w', root: '/repo', promptFile: join(folder, 'prompt.md') };
  return {
    settings,
    agent: 'ada',
    ...places,
    prompt: 'do it',
    session: 'none',
    resume: false,
    hook: { url: '', relay: [] },
    mcp: '',
    env: {},
    ...over,
  };
}

/** The daemon's end of a connection: what was heard, and what is answered. */
export class FakeLink {
  readonly events: AgentEvent[] = [];
  readonly warnings: string[] = [];
  readonly told: string[] = [];
  decide: (event: AgentEvent) => Decision | Promise<Decision> = () => PASS;
  connection!: Connection;
  readonly #end = new AbortController();
  readonly #server: FakeServer;

  private constructor(server: FakeServer) {
    this.#server = server;
  }

  static async open(server: FakeServer, over: Partial<LaunchRequest> & { decide?: FakeLink['decide'] } = {}): Promise<FakeLink> {
    const link = new FakeLink(server);
    if (over.decide) link.decide = over.decide;
    const of: Link = {
      request: requestFor(server.folder, over),
      fresh: true,
      session: undefined,
      transcript: undefined,
      signal: link.#end.signal,
      heard: async (event) => {
        link.events.push(event);
        server.changed();
        return link.decide(event);
      },
      warn: (text) => link.warnings.push(text),
      tell: async (text) => void link.told.push(text),
    };
    link.connection = await codex.connect!(of);
    return link;
  }

  on(kind: AgentEvent['on']): AgentEvent[] {
    return this.events.filter((event) => event.on === kind);
  }

  async hears(kind: AgentEvent['on'], times = 1): Promise<AgentEvent> {
    await this.#server.until(() => this.on(kind).length >= times);
    return this.on(kind)[times - 1]!;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#end.abort();
    await this.connection.close();
  }
}

export const userMessage = (id: string, text: string, clientId: unknown = null) => ({
  type: 'userMessage',
  id,
  clientId,
  content: [{ type: 'text', text }],
});
