import { type CallName, calls } from '../api/contract.ts';
import type { CallContext, Handlers } from '../api/server.ts';
import type { AgentCall, CallAnswer, Said } from '../hosts/link/frames.ts';
import { FurrowError } from '../platform/error.ts';
import type { Outbox } from './outbox.ts';

/** Reports of agents: they are kept until the leader has taken them, and the agent need not wait for that. */
const REPORTS: ReadonlySet<string> = new Set<CallName>(['done', 'blocked', 'progress']);

interface Waiting {
  readonly call: AgentCall;
  readonly settle: (answer: Pick<CallAnswer, 'result' | 'error'>) => void;
  /** Answers its agent without the leader. */
  readonly letGo: (() => void) | undefined;
}

/** The calls that agents make on this machine. The leader makes each of them once, however often the line is cut. */
export class Calls {
  readonly #life: string;
  readonly #outbox: Outbox;
  readonly #say: (said: Said) => boolean;
  readonly #waiting = new Map<string, Waiting>();
  /** Attempts with reports that the leader has not taken: their end is told after these. */
  readonly #untold = new Map<string, number>();
  #seq = 0;

  /** `say` answers whether the line was open. */
  constructor(life: string, outbox: Outbox, say: (said: Said) => boolean) {
    this.#life = life;
    this.#outbox = outbox;
    this.#say = say;
  }

  /** Every call of the contract. The leader decides which of them an agent on another machine may make. */
  readonly handlers: Handlers = Object.fromEntries(
    (Object.keys(calls) as CallName[]).map((name) => [name, (args: unknown, context: CallContext) => this.#make(name, args, context)]),
  ) as Handlers;

  async load(): Promise<void> {
    for (const { life, seq, attempt } of await this.#outbox.all()) this.#untold.set(`${life} ${seq}`, attempt);
  }

  /** True while the leader does not know all that the agent of this attempt reported. */
  isBehind(attempt: number): boolean {
    return [...this.#untold.values()].includes(attempt);
  }

  /** The line is open again. */
  async again(): Promise<void> {
    const kept = await this.#outbox.all();
    const others = [...this.#waiting.values()].map(({ call }) => call).filter(({ call }) => !REPORTS.has(call));
    for (const call of [...kept, ...others]) this.#say(call);
  }

  /** The line is lost: agents that reported something go on. */
  lost(): void {
    for (const { letGo } of this.#waiting.values()) letGo?.();
  }

  async answer({ life, seq, result, error }: CallAnswer): Promise<void> {
    const key = `${life} ${seq}`;
    await this.#outbox.forget({ life, seq });
    this.#untold.delete(key);
    this.#waiting.get(key)?.settle({ result, ...(error && { error }) });
    this.#waiting.delete(key);
  }

  /** An attempt is over for the farm: nobody waits for its reports. */
  async forget(attempt: number): Promise<void> {
    for (const [key, of] of this.#untold) {
      if (of !== attempt) continue;
      const [life, seq] = key.split(' ');
      await this.#outbox.forget({ life: life!, seq: Number(seq) });
      this.#untold.delete(key);
    }
  }

  async #make(name: CallName, args: unknown, { caller, signal }: CallContext): Promise<unknown> {
    if (caller.kind !== 'agent') throw new FurrowError('NOT_AN_AGENT', 'only an agent calls at its door', { hint: 'furrow --help' });
    const { attempt, speaker } = caller;
    const call: AgentCall = { say: 'call', life: this.#life, seq: ++this.#seq, attempt, call: name, args };
    const key = `${call.life} ${call.seq}`;
    const isReport = REPORTS.has(name);
    if (isReport) {
      this.#untold.set(key, attempt);
      await this.#outbox.keep(call);
    }
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const settle: Waiting['settle'] = ({ result, error }) =>
      error ? reject(new FurrowError(error.code, error.message, { hint: error.hint })) : resolve(result);
    const letGo = isReport ? () => resolve({ task: speaker.task }) : undefined;
    this.#waiting.set(key, { call, settle, letGo });
    const gone = () => {
      if (!isReport) this.#waiting.delete(key);
      reject(new FurrowError('STOPPED', 'nobody waits for the answer'));
    };
    signal.addEventListener('abort', gone, { once: true });
    if (!this.#say(call)) letGo?.();
    return promise.finally(() => signal.removeEventListener('abort', gone));
  }
}
