import type { CallName, In, Out } from '../../src/api/contract.ts';
import { changesFarm } from '../../src/api/effects.ts';
import { answerDaemon, askDaemon, type Proves, type Session } from './session.ts';

/** The daemon's refusal of a call, in its own words. */
export class Refused extends Error {
  readonly code: string;
  readonly hint: string | undefined;
  constructor({ code, message, hint }: { code: string; message: string; hint?: string }) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

export interface Hello {
  /** False: the token of this page may look, and change nothing. */
  readonly control: boolean;
  readonly version: string;
  readonly repo: string;
  /** Of the daemon that answers now. */
  readonly token: string;
  readonly session: Session;
}

/** `busy`: the daemon or this page was too slow to say hello, and tries again. `refused`: the daemon knows no such token; it is not asked again. */
export type Standing = 'connecting' | 'open' | 'lost' | 'busy' | 'refused';

type Reply =
  | { hello: Hello }
  | { proves: Proves }
  | { id: number; result: unknown }
  | { id: number; item: unknown }
  | { id: number; error: { code: string; message: string; hint?: string } };

interface Waiting {
  readonly call: string;
  /** Asked for anew after each connection: a stream goes on where it was. */
  readonly args: () => unknown;
  /** A stream, which is asked for again when the connection is back. */
  readonly item?: (item: never) => void;
  readonly resolve: (result: never) => void;
  readonly reject: (error: Error) => void;
  sent: boolean;
}

export interface LinkEvents {
  standing(standing: Standing): void;
  hello(hello: Hello): void;
}

const [REFUSED, TOO_SLOW] = [4401, 4408] as const;
const SLOWEST_MS = 5000;

/** The one WebSocket of the page. It connects again by itself, also to the next daemon, until it is refused. */
export class Link {
  readonly #token: string;
  readonly #on: LinkEvents;
  readonly #waiting = new Map<number, Waiting>();
  /** From the first connection on the page says by this who it is, and never shows its token again. */
  #session: Session | undefined;
  #socket: WebSocket | undefined;
  #greeted = false;
  #nextId = 1;
  #losses = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(token: string, on: LinkEvents) {
    this.#token = token;
    this.#on = on;
    this.#open();
    // A person who comes back to the page or to a network does not wait for the next try.
    addEventListener('online', () => this.#hurry());
    document.addEventListener('visibilitychange', () => document.visibilityState === 'visible' && this.#hurry());
  }

  /** A call that would change something is refused while there is no connection: done later it could surprise. One that looks waits. */
  call<N extends CallName>(call: N, args: In<N>): Promise<Out<N>> {
    if (!this.#greeted && changesFarm(call, args))
      return Promise.reject(new Refused({ code: 'NOT_SENT', message: 'Not sent: the connection to the farm is lost.' }));
    return new Promise((resolve, reject) => this.#ask({ call, args: () => args, resolve: resolve as never, reject, sent: false }));
  }

  /** Items until the stream ends or is stopped by the function that comes back. `args` is asked for at each connection. */
  stream<T>(call: string, args: () => unknown, item: (item: T) => void, ended: (error?: Error) => void = () => {}): () => void {
    const id = this.#ask({ call, args, item: item as never, resolve: () => ended(), reject: ended, sent: false });
    return () => {
      const asked = this.#waiting.get(id);
      this.#waiting.delete(id);
      if (asked?.sent && this.#greeted) this.#socket?.send(JSON.stringify({ id, cancel: true }));
    };
  }

  #ask(asked: Waiting): number {
    const id = this.#nextId++;
    this.#waiting.set(id, asked);
    if (this.#greeted) this.#send(id, asked);
    return id;
  }

  #send(id: number, asked: Waiting): void {
    asked.sent = true;
    this.#socket?.send(JSON.stringify({ id, call: asked.call, args: asked.args() }));
  }

  #open(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const socket = new WebSocket(`${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/ws`);
    this.#socket = socket;
    const asking = this.#session && askDaemon(this.#session);
    socket.onopen = () => socket.send(JSON.stringify(asking?.words ?? { token: this.#token }));
    socket.onmessage = ({ data }) => {
      const reply = JSON.parse(String(data)) as Reply;
      if ('proves' in reply) void this.#prove(socket, asking, reply.proves);
      // Replies of a peer that has proved nothing are ignored.
      else if (!asking || asking.proven) this.#hear(reply);
      else socket.close();
    };
    socket.onclose = ({ code }) => this.#lost(code);
  }

  /** Closes the connection to a stranger at the daemon's port, and goes on trying. */
  async #prove(socket: WebSocket, asking: ReturnType<typeof askDaemon> | undefined, proves: Proves): Promise<void> {
    const proof = asking && (await answerDaemon(asking, proves));
    if (proof === undefined) socket.close();
    else if (socket.readyState === socket.OPEN) socket.send(JSON.stringify({ proof }));
  }

  #hear(reply: Reply): void {
    if ('hello' in reply) return void this.#welcome(reply.hello);
    if ('proves' in reply) return;
    const asked = this.#waiting.get(reply.id);
    if (!asked) return;
    if ('item' in reply) return void asked.item?.(reply.item as never);
    this.#waiting.delete(reply.id);
    if ('error' in reply) asked.reject(new Refused(reply.error));
    else asked.resolve(reply.result as never);
  }

  #welcome(hello: Hello): void {
    this.#greeted = true;
    this.#losses = 0;
    this.#session = hello.session;
    this.#on.hello(hello);
    this.#on.standing('open');
    for (const [id, asked] of this.#waiting) this.#send(id, asked);
  }

  /** A call that was under way may have been done or not, so it is not made a second time. */
  #lost(code: number): void {
    this.#greeted = false;
    this.#socket = undefined;
    for (const [id, asked] of this.#waiting) {
      if (asked.item || !asked.sent) continue;
      this.#waiting.delete(id);
      asked.reject(new Refused({ code: 'TRY_AGAIN', message: `the connection was lost before "${asked.call}" was answered` }));
    }
    if (code === REFUSED) return void this.#on.standing('refused');
    this.#on.standing(code === TOO_SLOW ? 'busy' : 'lost');
    this.#timer = setTimeout(() => this.#open(), Math.min(100 * 2 ** this.#losses++, SLOWEST_MS));
  }

  #hurry(): void {
    if (this.#timer) this.#open();
  }
}
