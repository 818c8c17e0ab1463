import type { Socket } from 'node:net';
import { FurrowError } from '../platform/error.ts';
import { BUILD } from './build.ts';
import type { CallName, Greeted, Hello, In, Item, Out, Reply, StreamName } from './contract.ts';
import { assertHearing, type ConnectOptions, reach, unreachable } from './dial.ts';
import { isRepeatable, mayTakeLong } from './effects.ts';
import { doorHere, socketPath } from './place.ts';
import { type Proof, showProof } from './proof.ts';

export type { ConnectOptions } from './dial.ts';

/** A connection to the farm. Many calls may be under way at once. */
export interface Client {
  call<N extends CallName>(name: N, args: In<N>): Promise<Out<N>>;
  stream<N extends StreamName>(name: N, args: In<N>, onItem: (item: Item<N>) => void): Promise<void>;
  /** Resolves when the daemon has hung up and nothing was waiting for it. */
  hungUp(): Promise<void>;
  close(): void;
}

const SILENCE_MS = 30_000;

/** Calls that a daemon of any build answers. */
const ENDING: ReadonlySet<CallName> = new Set<CallName>(['ping', 'stop']);

/** The code of an error that says: this daemon ends, ask the next one. */
export const RESTARTS = 'RESTARTS';

/** After this many daemons that died within a second, the call gives up: about a minute and a half. */
const MOST_LOSSES = 50;

/** About two seconds of connections without a word; and two seconds of one such connection. */
const MOST_UNHEARD = 8;
const UNHEARD_MS = 2000;

interface Waiting {
  readonly name: CallName;
  args: Record<string, unknown>;
  /** Nothing was done for it, and the next daemon is asked. */
  again?: true;
  readonly timer: NodeJS.Timeout | undefined;
  readonly onItem: ((item: unknown) => void) | undefined;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: unknown) => void;
}

export async function connect(root: string, options: ConnectOptions): Promise<Client> {
  const line = new Line(root, options);
  await line.open(options.lasting !== true);
  return line;
}

class Line implements Client {
  readonly #root: string;
  readonly #options: ConnectOptions & { readonly trust: boolean };
  readonly #waiting = new Map<number, Waiting>();
  readonly #onHungUp: (() => void)[] = [];
  /** The agent's own door, when this process is an agent's. */
  readonly #path: string;
  #socket: Socket | undefined;
  #proof: Proof | undefined;
  /** A daemon whose greeting names another build. It does nothing for us before we say who we are. */
  #other: Greeted['hello'] | undefined;
  #nextId = 1;
  #losses = 0;
  /** Connections in a row that ended before the daemon had said a word. */
  #unheard = 0;
  #openedAt = 0;
  #reopening = false;
  readonly #closing = new AbortController();

  constructor(root: string, options: ConnectOptions) {
    this.#root = root;
    this.#path = doorHere(root) ?? socketPath(root);
    const { FURROW_TRUST: said, FURROW_RUN: agent } = process.env;
    const signal = AbortSignal.any([this.#closing.signal, ...(options.signal ? [options.signal] : [])]);
    this.#options = { ...options, signal, trust: options.trust ?? (said === '1' && !agent) };
  }

  get #closed(): boolean {
    return this.#closing.signal.aborted;
  }

  /** A person's command may look at a stopped farm by itself. */
  get #mayLook(): boolean {
    const { start, daemon } = this.#options;
    return start && daemon === undefined && this.#path === socketPath(this.#root);
  }

  /** `mayWait`: the call may need no daemon; in a farm that a person stopped, none is started before that is known. */
  async open(mayWait = false): Promise<void> {
    const socket = await reach(this.#root, this.#path, this.#options, mayWait && this.#mayLook);
    if (!socket) return;
    if (this.#closed) return void socket.destroy();
    this.#socket = socket;
    this.#other = undefined;
    this.#openedAt = Date.now();
    this.#unheard += 1;
    const silent = setInterval(() => void this.#listen(), UNHEARD_MS).unref();
    let rest = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk: string) => {
      clearInterval(silent);
      const lines = (rest + chunk).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) this.#hear(line);
    });
    socket.on('error', () => {});
    socket.on('close', () => {
      clearInterval(silent);
      this.#lost();
    });
  }

  call<N extends CallName>(name: N, args: In<N>): Promise<Out<N>> {
    return this.#ask(name, args, undefined) as Promise<Out<N>>;
  }

  async stream<N extends StreamName>(name: N, args: In<N>, onItem: (item: Item<N>) => void): Promise<void> {
    const request = { ...args } as { since?: number; last?: number };
    let seen = 0;
    await this.#ask(name, request, (given) => {
      const item = given as Item<N>;
      // A screen has no numbers: after a new call it begins with the whole picture.
      if (!('seq' in item)) return onItem(item);
      // A delta also tells of changes that no event tells of; it has the number of the last one then.
      if (name !== 'watch' && item.seq <= seen) return;
      seen = item.seq;
      // Asked again after a lost connection, the stream goes on where it was; what comes twice is dropped above.
      request.since = seen;
      delete request.last;
      onItem(item);
    });
  }

  hungUp(): Promise<void> {
    if (!this.#socket) return Promise.resolve();
    return new Promise((resolve) => this.#onHungUp.push(resolve));
  }

  close(): void {
    this.#closing.abort();
    this.#socket?.destroy();
  }

  #ask(name: CallName, args: Record<string, unknown>, onItem: Waiting['onItem']): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const id = this.#nextId++;
      const timer = mayTakeLong(name, args) ? undefined : setTimeout(() => this.#end(id)?.reject(hangs(name)), SILENCE_MS);
      this.#waiting.set(id, { name, args, timer, onItem, resolve, reject });
      if (this.#socket) this.#send(id);
      else this.#askUnconnected(id).catch((error: unknown) => this.#end(id)?.reject(error));
    });
  }

  /** No daemon was needed yet, or it hung up while nothing was waiting, for instance because it was replaced. */
  async #askUnconnected(id: number): Promise<void> {
    const { trust } = this.#options;
    const asked = this.#waiting.get(id);
    if (asked && this.#mayLook && !this.#reopening) {
      const { lookHere } = await import('./look-here.ts');
      const request = { id, call: asked.name, args: asked.args, ...(trust && { trust }) };
      if (await lookHere(this.#root, request, (reply) => this.#hear(JSON.stringify(reply)))) return;
    }
    if (this.#socket) this.#send(id);
    else await this.#reopen();
  }

  #send(id: number): void {
    const asked = this.#waiting.get(id);
    if (asked)
      this.#socket?.write(`${JSON.stringify({ id, call: asked.name, args: asked.args, ...(this.#options.trust && { trust: true }) })}\n`);
    if (this.#other) this.#meetOther(this.#other);
  }

  #hear(line: string): void {
    if (line === '') return;
    const reply = parse(line);
    // The other side does not speak our protocol: treated as a lost connection.
    if (!reply) return void this.#socket?.destroy();
    this.#proof?.end();
    this.#unheard = 0;
    if ('hello' in reply) return void this.#greeted(reply.hello);
    const asked = this.#waiting.get(reply.id);
    if (!asked) return;
    if ('item' in reply) asked.onItem?.(reply.item);
    // The daemon did nothing yet: it makes room for one that does, and that one is asked.
    else if ('error' in reply && reply.error.code === RESTARTS) asked.again = true;
    else if ('error' in reply)
      this.#end(reply.id)?.reject(new FurrowError(reply.error.code, reply.error.message, { hint: reply.error.hint }));
    else this.#end(reply.id)?.resolve(reply.result);
  }

  /** An agent does not choose which build serves it. */
  #greeted(hello: Greeted['hello']): void {
    if (BUILD === undefined || hello.build === BUILD || this.#path !== socketPath(this.#root)) return void this.#introduce(hello.nonce);
    this.#other = hello;
    if (this.#waiting.size > 0) this.#meetOther(hello);
  }

  /** Tells a daemon of any build to end. Everything else is asked of one of our own build, where that can be had. */
  #meetOther({ nonce }: Greeted['hello']): void {
    this.#other = undefined;
    if ([...this.#waiting.values()].every(({ name }) => ENDING.has(name))) return void this.#introduce(nonce);
    for (const asked of this.#waiting.values()) asked.again = true;
    import('./other-build.ts')
      .then(({ replaceOther }) => replaceOther(this.#root, this.#path))
      .catch((error: unknown) => {
        for (const id of [...this.#waiting.keys()]) this.#end(id)?.reject(error);
      });
  }

  /** Says which process this is. The proof is held until the daemon says anything more. */
  #introduce(nonce: string | null): void {
    this.#proof = showProof(this.#path, nonce);
    this.#socket?.write(`${JSON.stringify({ hello: { pid: process.pid, fd: this.#proof.fd } } satisfies Hello)}\n`);
  }

  /** The daemon has not greeted us: it may be unable to take any connection. */
  async #listen(): Promise<void> {
    await assertHearing(this.#root).catch((error: unknown) => {
      for (const id of [...this.#waiting.keys()]) this.#end(id)?.reject(error);
      this.close();
    });
  }

  #end(id: number): Waiting | undefined {
    const asked = this.#waiting.get(id);
    this.#waiting.delete(id);
    clearTimeout(asked?.timer);
    return asked;
  }

  #lost(): void {
    this.#socket = undefined;
    this.#proof?.end();
    if (!this.#closed) this.#options.onLost?.();
    for (const [id, asked] of this.#waiting) {
      if (this.#closed || !(asked.again || isRepeatable(asked.name, asked.args))) this.#end(id)?.reject(lost(asked.name));
    }
    if (this.#waiting.size > 0) void this.#reopen();
    else for (const tell of this.#onHungUp.splice(0)) tell();
  }

  async #reopen(): Promise<void> {
    if (this.#reopening) return;
    this.#reopening = true;
    this.#losses = Date.now() - this.#openedAt > 1000 ? 0 : this.#losses + 1;
    try {
      if (this.#unheard > MOST_UNHEARD) await assertHearing(this.#root);
      if (this.#losses > MOST_LOSSES) throw unreachable('the daemon keeps ending');
      await new Promise((resolve) => setTimeout(resolve, Math.min(this.#losses * 50, 2000)));
      await this.open();
      for (const id of this.#waiting.keys()) this.#send(id);
    } catch (error) {
      for (const id of [...this.#waiting.keys()]) this.#end(id)?.reject(error);
    } finally {
      this.#reopening = false;
    }
  }
}

function parse(line: string): Reply | Greeted | undefined {
  try {
    return JSON.parse(line) as Reply | Greeted;
  } catch {
    return undefined;
  }
}

const lost = (name: CallName) =>
  new FurrowError('TRY_AGAIN', `the daemon ended before it answered, so it is not known whether "${name}" was done`, {
    hint: 'furrow status, then the same command again',
  });

const hangs = (name: CallName) =>
  new FurrowError('TRY_AGAIN', `the daemon has not answered "${name}" for ${SILENCE_MS / 1000} s`, { hint: 'furrow doctor' });
