import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { type ExecOptions, type Finished, spawnWithPipe } from '../exec.ts';
import { programFile } from '../program.ts';
import { Call, type Request } from './call.ts';
import { endChildrenOf, STARTED_BY } from './children.ts';
import { FORM, type Frame, frame, framesTo } from './frames.ts';

/** Memory is what each start has to copy: 52 MB after 900 starts with these, 74 without. */
const FLAGS = ['--no-opt', '--no-maglev', '--max-semi-space-size=1', '--v8-pool-size=0'];

/** After its time, or after it was to be killed, a call is answered within this; else the starter itself is stuck, stopped perhaps. */
const STUCK_MS = 15_000;

/** One starter, from its start to its end. */
export class Starter {
  readonly #name = randomUUID();
  readonly #child: ReturnType<typeof spawnWithPipe>;
  readonly #pipe: Socket;
  readonly #stuckMs: number;
  readonly #closed: Promise<void>;
  readonly #calls = new Map<number, Call>();
  #count = 0;
  /** It has answered at least once. */
  works = false;

  /** `over` is called when it takes no more calls. `label` tells people who look at processes whose it is. */
  constructor(label: string, over: () => void, stuckMs = STUCK_MS) {
    this.#stuckMs = stuckMs;
    const argv = [process.execPath, ...FLAGS, programFile('platform/starter/main'), FORM, '--repo', label] as const;
    this.#child = spawnWithPipe(argv, { ...process.env, NODE_OPTIONS: undefined, [STARTED_BY]: this.#name });
    this.#pipe = this.#child.stdio[3] as Socket;
    this.#pipe.on(
      'data',
      framesTo((answer) => this.#hear(answer)),
    );
    // It is gone then, which `exit` tells.
    this.#pipe.on('error', () => {});
    this.#child.on('error', over);
    this.#child.once('exit', over);
    // After the last answer that it has written is read.
    this.#closed = new Promise<void>((resolve) => this.#child.once('close', resolve)).then(() => this.#lose());
    this.#hold(false);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** As `exec`; its child has one variable more in its environment. */
  readonly run = async (argv: readonly [string, ...string[]], options: ExecOptions): Promise<Finished> => {
    const { cwd = process.cwd(), timeoutMs, input, signal } = options;
    const env = { ...options.env, [STARTED_BY]: this.#name };
    const request: Request = { argv, cwd, env, timeoutMs, input: input !== undefined };
    const id = this.#count++;
    const call = new Call(argv, options);
    const kill = () => {
      this.#pipe.write(frame('kill', id));
      clearTimeout(stuck);
      stuck = setTimeout(() => this.#child.kill('SIGKILL'), this.#stuckMs);
    };
    let stuck = setTimeout(() => this.#child.kill('SIGKILL'), timeoutMs + this.#stuckMs);
    if (this.#calls.size === 0) this.#hold(true);
    this.#calls.set(id, call);
    this.#pipe.write(frame('start', id, request, input === undefined ? [] : [Buffer.from(input as string)]));
    if (signal?.aborted) kill();
    signal?.addEventListener('abort', kill, { once: true });
    try {
      return await call.finished;
    } finally {
      clearTimeout(stuck);
      signal?.removeEventListener('abort', kill);
    }
  };

  #hear(answer: Frame): void {
    this.works = true;
    if (!this.#calls.get(answer.call)?.hears(answer)) return;
    this.#calls.delete(answer.call);
    if (this.#calls.size === 0) this.#hold(false);
  }

  /** Answers what it leaves open, once nothing that it started runs any more. */
  async #lose(): Promise<void> {
    if (this.#calls.size === 0) return;
    await endChildrenOf(this.#name);
    for (const call of this.#calls.values()) call.lost();
    this.#calls.clear();
  }

  /** Ends it, unless something that it started still runs. */
  async end(): Promise<void> {
    if (this.#calls.size > 0) return;
    this.#hold(true);
    this.#pipe.end();
    const stuck = setTimeout(() => this.#child.kill('SIGKILL'), this.#stuckMs);
    await this.#closed;
    clearTimeout(stuck);
  }

  /** Only while somebody waits for an answer does it keep this process from ending. */
  #hold(on: boolean): void {
    for (const one of [this.#child, this.#pipe])
      if (on) one.ref();
      else one.unref();
  }
}
