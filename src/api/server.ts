import { chmod, unlink } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { dirname } from 'node:path';
import { privateFolder } from '../platform/files.ts';
import type { CallName, Greeted, Hello, Reply, Request } from './contract.ts';
import { closeProofs, openProofs } from './hello.ts';
import { type Introduction, introduce } from './introduction.ts';
import { LINE_LIMITS, type LineLimits, readLines, roomOf } from './lines.ts';
import type { Budget } from './request-budget.ts';
import { respond } from './respond.ts';
import type { Service } from './service.ts';

export type { CallContext, Handlers, Service } from './service.ts';

export interface Serving {
  /** The number of clients that are connected. */
  clients(): number;
  /** Listens at the same path again, after somebody removed the socket. Clients that are connected stay so. */
  again(): Promise<void>;
  /** Takes no new client: a command that comes now starts the next daemon, which waits for our lock. */
  refuse(): void;
  /** Answers the calls that were made already, and hangs up. */
  close(answerAll: boolean): Promise<void>;
}

/** Listens on a unix socket in a folder that only we may enter. A socket file left by a killed daemon is replaced: the caller holds the farm's lock. */
export async function serve(path: string, service: Service, given: Partial<LineLimits> = {}): Promise<Serving> {
  const open = new Map<Socket, Attended>();
  const limits = { ...LINE_LIMITS, ...given };
  const bounds = { limits, room: roomOf(limits) };
  const { onBug } = service;
  const server = createServer((socket) => {
    open.set(socket, attend(socket, path, service, bounds));
    socket.on('close', () => open.delete(socket));
  });
  server.maxConnections = limits.connections;
  const listen = async () => {
    await privateFolder(dirname(path));
    openProofs(path);
    await unlink(path).catch(() => {});
    await listening(server, path);
    server.removeAllListeners('error').on('error', onBug);
    await chmod(path, 0o600);
  };
  await listen();
  const closed = new Promise<void>((done) => server.once('close', done));
  return {
    clients: () => open.size,
    async again() {
      // Closing removes whatever is at the path, so it goes first.
      if (server.listening) server.close();
      await listen();
    },
    refuse: () => void server.close(),
    async close(answerAll) {
      if (server.listening) server.close();
      // Calls that wait for something are told that nothing more will come, and get their answer before we hang up; when another
      // daemon is to follow they get none, so that their client asks that one.
      await Promise.all(
        [...open].map(async ([socket, attended]) => {
          attended.unheard = !answerAll;
          attended.gone.abort();
          await Promise.allSettled(attended.answering);
          socket.end();
        }),
      );
      await closed;
      closeProofs(path);
    },
  };
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
}

interface Attended {
  readonly gone: AbortController;
  readonly answering: Set<Promise<void>>;
  /** Calls that wait get no answer any more. */
  unheard: boolean;
}

const WAITING: ReadonlySet<CallName> = new Set<CallName>(['settled', 'preflight', 'entryEnded', 'log', 'watch', 'screen', 'leaseTurn']);

interface Bounds {
  readonly limits: LineLimits;
  readonly room: Budget;
}

function attend(socket: Socket, path: string, service: Service, { limits, room }: Bounds): Attended {
  const gone = new AbortController();
  const attended: Attended = { gone, answering: new Set(), unheard: false };
  const { answering } = attended;
  socket.on('error', () => {});
  socket.on('close', () => gone.abort());
  const send = (reply: Reply | Greeted) => {
    if (!socket.writable) return;
    socket.write(`${JSON.stringify(reply)}\n`);
    if ('hello' in reply) return;
    if (reply.id === 0) reader.malformed();
    reader.flow(answering.size);
  };
  const introduction = introduce(path, service.recognise, send, gone.signal);
  const drained = () =>
    socket.destroyed || socket.writableLength <= limits.unreadBytes ? Promise.resolve() : readOrGone(socket, gone.signal);
  const connection = { service, attended, send, introduction, drained };
  const reader = readLines(socket, limits, room, (line) => {
    const answered = answer(line, connection)
      .catch(service.onBug)
      .finally(() => {
        answering.delete(answered);
        reader.flow(answering.size);
      });
    answering.add(answered);
    reader.flow(answering.size);
  });
  socket.on('drain', () => reader.flow(answering.size));
  return attended;
}

interface Connection {
  readonly service: Service;
  readonly attended: Attended;
  readonly send: (reply: Reply) => void;
  readonly introduction: Introduction;
  readonly drained: () => Promise<void>;
}

function readOrGone(socket: Socket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      socket.off('drain', done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    socket.on('drain', done);
    signal.addEventListener('abort', done);
    if (signal.aborted) done();
  });
}

async function answer(line: string, { service, attended, send, introduction, drained }: Connection): Promise<void> {
  let request: Request | Hello;
  try {
    request = JSON.parse(line) as Request | Hello;
  } catch {
    return send({ id: 0, error: { code: 'USAGE', message: 'a request is one JSON document a line' } });
  }
  if (typeof request !== 'object' || request === null)
    return send({ id: 0, error: { code: 'USAGE', message: 'a request is a JSON object' } });
  if ('hello' in request) return introduction.hear(request.hello);
  const { id, call, trust } = request;
  const item = (value: unknown) => send({ id, item: value });
  const reply = await respond(service, request, async () => ({
    caller: await introduction.caller,
    signal: attended.gone.signal,
    item,
    drained,
    trust: trust === true,
  }));
  if (!reply || ('result' in reply && attended.unheard && WAITING.has(call))) return;
  send(reply);
}
