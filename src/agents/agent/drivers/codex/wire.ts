import type { WebSocket } from 'ws';
import type { Incoming, Params } from './protocol.ts';

/** Longest wait for an answer. All that furrow asks is answered in milliseconds; an interrupt of an ended turn never is. */
const ANSWER_MS = 15_000;

/** Notifications that the server streams word by word, and nobody here reads. */
const UNHEARD = [
  'item/agentMessage/delta',
  'item/reasoning/textDelta',
  'item/reasoning/summaryTextDelta',
  'item/commandExecution/outputDelta',
];

/** The server answered, with a refusal: nothing was done. */
export class Refused extends Error {}

/** No answer came: whether it was done is not known. */
export class Unanswered extends Error {}

/** Ignores the failure of a request that is done anyway, or no longer possible. */
export function ifLost(error: unknown): void {
  if (!(error instanceof Refused) && !(error instanceof Unanswered)) throw error;
}

export interface WireEvents {
  message(method: string, params: Params, id: number | string | undefined): void;
  closed(): void;
}

/** One connection to an app-server. It ends once and is not opened again. */
export class Wire {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>();
  #last = 0;

  private constructor(socket: WebSocket, events: WireEvents) {
    this.#socket = socket;
    socket.on('message', (data) => this.#read(String(data), events));
    socket.on('close', () => {
      for (const call of this.#waiting.values()) call.reject(new Unanswered('the connection to codex was lost'));
      this.#waiting.clear();
      events.closed();
    });
  }

  /** Rejects when nobody listens there. The package is loaded by the first agent that needs it. */
  static async open(path: string, events: WireEvents): Promise<Wire> {
    const { WebSocket } = await import('ws');
    const socket = new WebSocket(`ws+unix:${path}:/`, { perMessageDeflate: false, handshakeTimeout: ANSWER_MS });
    socket.on('error', () => {});
    await new Promise<void>((resolve, reject) => {
      socket.once('open', resolve);
      socket.once('error', reject);
      socket.once('close', () => reject(new Unanswered('codex closed the connection')));
    });
    const wire = new Wire(socket, events);
    const clientInfo = { name: 'furrow', title: 'furrow', version: '1' };
    const capabilities = { experimentalApi: false, requestAttestation: false, optOutNotificationMethods: UNHEARD };
    await wire.call('initialize', { clientInfo, capabilities });
    wire.#send({ method: 'initialized' });
    return wire;
  }

  async call<T>(method: string, params: object): Promise<T> {
    const id = ++this.#last;
    const answer = new Promise<unknown>((resolve, reject) => this.#waiting.set(id, { resolve, reject }));
    const timer = setTimeout(() => this.#waiting.get(id)?.reject(new Unanswered(`codex did not answer ${method}`)), ANSWER_MS);
    try {
      this.#send({ id, method, params });
      return (await answer) as T;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(id);
    }
  }

  answer(id: number | string, result: unknown): void {
    this.#send({ id, result });
  }

  close(): void {
    this.#socket.terminate();
  }

  #send(message: object): void {
    if (this.#socket.readyState !== this.#socket.OPEN) throw new Unanswered('the connection to codex was lost');
    this.#socket.send(JSON.stringify(message));
  }

  #read(text: string, events: WireEvents): void {
    const message = JSON.parse(text) as Incoming;
    if (message.method !== undefined) events.message(message.method, message.params ?? {}, message.id);
    else this.#answered(message);
  }

  #answered(message: Incoming): void {
    const call = this.#waiting.get(Number(message.id));
    if (message.error) call?.reject(new Refused(message.error.message));
    else call?.resolve(message.result);
  }
}
