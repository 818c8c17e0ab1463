import { collect, type Ended, type ExecOptions, type Finished } from '../exec.ts';
import type { Frame } from './frames.ts';

/** The words of a `start` frame: a command as `exec` takes it. Its input follows as bytes. */
export interface Request {
  readonly argv: readonly [string, ...string[]];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly input: boolean;
  /** The file that takes the output, at its end. Such a command outlives the daemon, as one that the daemon starts itself would. */
  readonly output?: string;
}

/** A command that was sent to the starter; it puts the answer together from frames. */
export class Call {
  readonly finished: Promise<Finished>;
  readonly #output: ReturnType<typeof collect>;
  #resolve!: (finished: Finished) => void;
  #reject!: (error: Error) => void;

  constructor(argv: readonly string[], options: ExecOptions) {
    this.#output = collect(argv, options);
    this.finished = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Takes a frame; true with the last one. */
  hears({ kind, words, bytes }: Frame): boolean {
    if (kind === 'stdout' || kind === 'stderr') this.#output[kind](bytes);
    if (kind === 'ended') this.#end(words as Ended & { stdout: number }, bytes);
    if (kind === 'failed') this.#reject(errorOf(words as { message: string }));
    return kind === 'ended' || kind === 'failed';
  }

  #end({ code, signal, timedOut, stdout }: Ended & { stdout: number }, bytes: Buffer): void {
    this.#output.stdout(bytes.subarray(0, stdout));
    this.#output.stderr(bytes.subarray(stdout));
    this.#resolve(this.#output.finished({ code, signal, timedOut }));
  }

  /** Answers as for a killed child. Every caller knows that such a child may have done all, half or none of its work. */
  lost(): void {
    this.#resolve(this.#output.finished({ code: null, signal: 'SIGKILL', timedOut: false }));
  }
}

const errorOf = ({ message, ...fields }: { message: string }): Error => Object.assign(new Error(message), fields);
