import { randomUUID } from 'node:crypto';
import type { Socket } from 'node:net';
import { type ExecOptions, type Finished, spawnWithPipe } from '../exec.ts';
import { programFile } from '../program.ts';
import { Call, type Request } from './call.ts';
import { endChildrenOf, STARTED_BY } from './children.ts';
import { FORM, type Frame, frame, framesTo } from './frames.ts';

/** Small memory, because each start copies it: 52 MB after 900 starts with these flags, 74 without. */
const FLAGS = ['--no-opt', '--no-maglev', '--max-semi-space-size=1', '--v8-pool-size=0'];

/** A call must be answered within this after its timeout or kill; else the starter itself is stuck, perhaps stopped. */
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

  /** `over` is called when it takes no more calls. `label` shows its owner to people who list processes. */
  constructor(label: string, over: () => void, stuckMs = STUCK_MS) {
    this.#stuckMs = stuckMs;
    const argv = [process.execPath, ...FLAGS, programFile('platform/starter/main'), FORM, '--repo', label] as const;
    this.#child = spawnWithPipe(argv, { ...process.env, NODE_OPTIONS: undefined, [STARTED_BY]: this.#name });
    this.#pipe = this.#child.stdio[3] as Socket;
    this.#pipe.on(
      'data',
      framesTo((answer) => this.#hear(answer)),
    );
    // The starter is gone then; `exit` reports it.
    this.#pipe.on('error', () => {});
    this.#child.on('error', over);
    this.#child.once('exit', over);
    // After its last written answer has been read.
    this.#closed = new Promise<void>((resolve) => this.#child.once('close', resolve)).then(() => this.#lose());
    this.#hold(false);
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Does the same as `exec`; the child has one more variable in its environment. */
  readonly run = async (argv: readonly [string, ...string[]], options: ExecOptions): Promise<Finished> => {
    const { cwd = process.cwd(), timeoutMs, input, signal, outputFd } = options;
    const env = { ...options.env, [STARTED_BY]: this.#name };
    // The file itself, whatever its name leads to by now: we opened it, by our rules.
    const output = outputFd === undefined ? {} : { output: `/proc/${process.pid}/fd/${outputFd}` };
    const request: Request = { argv, cwd, env, timeoutMs, input: input !== undefined, ...output };
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

  /** Answers the open calls once nothing that the starter started runs any more. */
  async #lose(): Promise<void> {
    if (this.#calls.size === 0) return;
    await endChildrenOf(this.#name);
    for (const call of this.#calls.values()) call.lost();
    this.#calls.clear();
  }

  /** Ends the starter, unless a child of it still runs. */
  async end(): Promise<void> {
    if (this.#calls.size > 0) return;
    this.#hold(true);
    this.#pipe.end();
    const stuck = setTimeout(() => this.#child.kill('SIGKILL'), this.#stuckMs);
    await this.#closed;
    clearTimeout(stuck);
  }

  /** Keeps this process from ending only while somebody waits for an answer. */
  #hold(on: boolean): void {
    for (const one of [this.#child, this.#pipe])
      if (on) one.ref();
      else one.unref();
  }
}
