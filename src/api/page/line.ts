import type { WebSocket } from 'ws';
import type { Reply, Request } from '../contract.ts';
import { respond } from '../respond.ts';
import type { CallContext, Service } from '../service.ts';
import type { PageLimits } from './limits.ts';
import type { Sessions } from './sessions.ts';
import type { Access, Tokens } from './tokens.ts';

export interface PageService extends Pick<Service, 'handlers' | 'onBug'> {
  readonly version: string;
  /** The name of the repository's folder. */
  readonly repo: string;
}

/** Codes with which a page is hung up on. */
const [NOT_UNDERSTOOD, NO_TOKEN, TOO_SLOW] = [4400, 4401, 4408] as const;

const FAREWELL_MS = 500;

/** One page at its WebSocket. */
export interface PageLine {
  /** Calls that wait are told that nothing more will come; then it is hung up. */
  close(): Promise<void>;
}

/** Attends to one page: first who it is, then requests as at the socket of the command line. */
export function attendPage(ws: WebSocket, service: PageService, known: Known, limits: PageLimits): PageLine {
  const gone = new AbortController();
  const calls = new Map<number, { readonly cancel: AbortController; readonly answered: Promise<void> }>();
  const reader = backpressure(ws, limits);
  const send = (reply: Reply) => reader.send(JSON.stringify(reply));
  // A refused page is cut off after a moment: one that never answers the close would keep its place.
  const refuse = (code: number, why: string) => {
    ws.close(code, why);
    setTimeout(() => ws.terminate(), FAREWELL_MS).unref();
  };
  const greet = greeting(known);
  let access: Access | undefined;
  // Not a refusal: the token may be right, and the machine busy. First all is read that has come meanwhile.
  const late = setTimeout(() => setImmediate(() => access === undefined && refuse(TOO_SLOW, 'no token in time')), limits.helloMs);
  ws.on('error', () => {});
  ws.on('close', () => {
    clearTimeout(late);
    gone.abort();
    reader.wake();
  });
  ws.on('message', (data, binary) => {
    const frame = binary ? undefined : parse(String(data));
    if (frame === undefined) return void refuse(NOT_UNDERSTOOD, 'a frame is one JSON object');
    if (access === undefined) {
      const heard = greet(frame);
      if (heard === undefined) return void refuse(NO_TOKEN, 'the token is not the one of this door');
      if ('reply' in heard) return void reader.send(JSON.stringify(heard.reply));
      access = heard.access;
      clearTimeout(late);
      return void reader.send(JSON.stringify({ hello: helloOf(access) }));
    }
    const id = frame['id'];
    if (!Number.isSafeInteger(id) || ws.readyState !== ws.OPEN) return void refuse(NOT_UNDERSTOOD, 'a request has a number');
    hear(frame as unknown as Request & { cancel?: unknown });
  });

  /** A page that came back gets the token of this daemon, for the time after a reload. */
  function helloOf(of: Access) {
    const { version, repo } = service;
    return { control: of === 'control', version, repo, token: known.tokens[of], session: known.sessions.begin(of) };
  }

  function hear(request: Request & { cancel?: unknown }): void {
    const { id } = request;
    if (request.cancel === true) return void calls.get(id)?.cancel.abort();
    const usage = (message: string) => send({ id, error: { code: 'USAGE', message } });
    if (calls.has(id)) return void usage(`call ${id} is still under way`);
    if (calls.size >= limits.open) return void usage(`${limits.open} calls are under way already`);
    const cancel = new AbortController();
    const context: CallContext = {
      caller: { kind: 'person', face: 'page', ...(access !== 'control' && { readOnly: true }) },
      signal: AbortSignal.any([gone.signal, cancel.signal]),
      item: (item) => send({ id, item }),
      drained: () => reader.drained(),
    };
    const answered = respond(service, request, () => context)
      .then((reply) => reply && send(reply))
      .finally(() => calls.delete(id));
    calls.set(id, { cancel, answered });
  }

  return {
    async close() {
      gone.abort();
      reader.wake();
      await Promise.allSettled([...calls.values()].map(({ answered }) => answered));
      ws.close(1001, 'furrow ends');
    },
  };
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Sends, and knows how far behind its reader is. */
function backpressure(ws: WebSocket, { unreadBytes, mostUnreadBytes }: PageLimits) {
  let waiting: (() => void)[] = [];
  const wake = () => {
    const woken = waiting;
    waiting = [];
    for (const go of woken) go();
  };
  return {
    wake,
    send(text: string): void {
      if (ws.readyState !== ws.OPEN) return;
      if (ws.bufferedAmount > mostUnreadBytes) {
        ws.close(TOO_SLOW, 'the page reads too slowly');
        return void ws.terminate();
      }
      ws.send(text, () => {
        if (ws.bufferedAmount <= unreadBytes) wake();
      });
    },
    drained(): Promise<void> {
      if (ws.readyState !== ws.OPEN || ws.bufferedAmount <= unreadBytes) return Promise.resolve();
      return new Promise((resolve) => waiting.push(resolve));
    },
  };
}

/** The facts by which a page is recognised. */
interface Known {
  readonly port: number;
  readonly tokens: Tokens;
  readonly sessions: Sessions;
}

/** The first words of a page: its token, or those of a page that comes back. `reply`: it is to be answered, and heard once more. */
type Heard = { readonly access: Access } | { readonly reply: unknown } | undefined;

/** Decides by its first words what a page may do; `undefined`: nothing, and no more of it is read. */
function greeting({ port, tokens, sessions }: Known): (frame: Readonly<Record<string, unknown>>) => Heard {
  let resuming: ReturnType<Sessions['resume']>;
  return (frame) => {
    if (resuming) return resuming.isProvenBy(frame['proof']) ? { access: resuming.access } : undefined;
    if ('resume' in frame) {
      resuming = sessions.resume(frame['resume'], port);
      return resuming && { reply: { proves: resuming.proves } };
    }
    const access = tokens.accessOf(frame['token']);
    return access && { access };
  };
}
