import type { Readable, Writable } from 'node:stream';
import { count, type Fields, fields, list, parsed, text } from '../drivers/json.ts';
import { linesOf } from './lines.ts';

/** The agent answered with an error. */
export class Refused extends Error {
  readonly code: number;
  readonly data: Fields;

  constructor({ code, message, data }: Fields) {
    super(text(message) || `error ${count(code)}`);
    this.code = count(code);
    this.data = fields(data);
  }
}

/** The agent has closed its output: no answer will come. */
export class Gone extends Error {}

/** Our side of the conversation. */
export interface Peer {
  /** Answers a request of the agent's; a `Refused` that it throws is the answer. */
  asked(method: string, params: Fields): Promise<object>;
  /** One after the other, in their order: the next line is read when it resolves. */
  noticed(method: string, params: Fields): Promise<void>;
  /** The agent wrote something that is no message. */
  nonsense(what: string): void;
}

/** An agent that asks without end fills no memory: the next request is refused. */
const AT_ONCE = 100;

export const AUTH_REQUIRED = -32000;
export const METHOD_NOT_FOUND = -32601;
const INTERNAL = -32603;

/** JSON-RPC 2.0 over the pipes of a child, a message a line. */
export class Wire {
  readonly #to: Writable;
  readonly #peer: Peer;
  readonly #waiting = new Map<number, PromiseWithResolvers<Fields>>();
  #last = 0;
  #open = 0;
  #gone = false;

  constructor(to: Writable, peer: Peer) {
    this.#to = to;
    this.#peer = peer;
    // A write after its end is told by the end of its output.
    to.on('error', () => {});
  }

  /** Reads until the agent closes its output. */
  async read(from: Readable): Promise<void> {
    for await (const line of linesOf(from)) await this.#take(line);
    this.#gone = true;
    for (const { reject } of this.#waiting.values()) reject(new Gone('the agent has ended'));
  }

  async call(method: string, params: object): Promise<Fields> {
    if (this.#gone) throw new Gone('the agent has ended');
    const id = ++this.#last;
    const answer = Promise.withResolvers<Fields>();
    this.#waiting.set(id, answer);
    this.#send({ id, method, params });
    return answer.promise.finally(() => this.#waiting.delete(id));
  }

  notify(method: string, params: object): void {
    this.#send({ method, params });
  }

  async #take(line: string | undefined): Promise<void> {
    if (line?.trim() === '') return;
    const message = line === undefined ? undefined : parsed(line);
    if (!message || Object.keys(message).length === 0) return this.#peer.nonsense(line ?? 'a line without end');
    const { id, method } = message;
    if (typeof method !== 'string') return this.#answered(message);
    const params = fields(message['params']);
    if (id === undefined || id === null) await this.#peer.noticed(method, params);
    else void this.#answer(id, method, params);
  }

  #answered({ id, error, result }: Fields): void {
    const waiting = typeof id === 'number' ? this.#waiting.get(id) : undefined;
    if (!waiting) this.#peer.nonsense(`an answer to nothing (${JSON.stringify(id)?.slice(0, 40)})`);
    else if (error === undefined || error === null) waiting.resolve(fields(result));
    else waiting.reject(new Refused(fields(error)));
  }

  /** Not waited for: the answer may need a person, and the agent goes on telling meanwhile. */
  async #answer(id: unknown, method: string, params: Fields): Promise<void> {
    try {
      if (this.#open >= AT_ONCE) throw new Refused({ code: INTERNAL, message: `more than ${AT_ONCE} requests at once` });
      this.#open++;
      this.#send({ id, result: await this.#peer.asked(method, params).finally(() => this.#open--) });
    } catch (error) {
      const code = error instanceof Refused ? error.code : INTERNAL;
      this.#send({ id, error: { code, message: (error as Error).message } });
    }
  }

  #send(message: object): void {
    if (this.#to.writable) this.#to.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }
}

/** The words in content blocks; other kinds are named. */
export function wordsIn(blocks: unknown): string {
  return list(blocks)
    .map(fields)
    .map((block) => (block['type'] === 'text' ? text(block['text']) : `[${text(block['type'])}]`))
    .join('');
}
