import { spawnPiped } from '../../exec.ts';

/** The answers of a lasting git, read piece by piece. */
export interface Answers {
  /** Up to and without the next newline. */
  line(): Promise<Buffer>;
  bytes(count: number): Promise<Buffer>;
  /** The bytes before these, which are taken from the input too. */
  before(mark: Buffer): Promise<Buffer>;
}

/** Thrown when a git ends before its answer is complete. */
export class GitEnded extends Error {
  readonly code: number | null;
  readonly stderr: string;
  /** False: it had ended before the question, and has done nothing. */
  readonly asked: boolean;

  constructor(code: number | null, stderr: string, asked = true) {
    super('a git that should have stayed has ended');
    this.asked = asked;
    this.code = code;
    this.stderr = stderr;
  }
}

const MOST_STDERR = 64 * 1024;

/**
 * A git that stays and answers one question after the other: 0.3 ms each, where a start takes 3 ms and stops the whole daemon for 1 to 4 of
 * them. It ends with its input, so it does not outlive us, and it does not keep our process from ending.
 */
export class LastingGit {
  readonly #child: ReturnType<typeof spawnPiped>;
  readonly #ended: Promise<void>;
  #turn: Promise<unknown> = Promise.resolve();
  #chunks: Buffer[] = [];
  #errors = '';
  #over: GitEnded | undefined;
  #wake: () => void = () => {};
  asked = 0;

  constructor(argv: readonly [string, ...string[]], env: Readonly<Record<string, string>>) {
    this.#child = spawnPiped(argv, { cwd: '/', env, detached: true });
    const { stdin, stdout, stderr } = this.#child;
    stdin?.on('error', () => {});
    stdout?.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk);
      this.#wake();
    });
    stderr?.on('data', (chunk: Buffer) => {
      if (this.#errors.length < MOST_STDERR) this.#errors += chunk.toString();
    });
    this.#ended = new Promise((resolve) => {
      const end = (code: number | null) => {
        this.#over ??= new GitEnded(code, this.#errors);
        this.#wake();
        resolve();
      };
      this.#child.on('error', () => end(null));
      this.#child.on('close', (code) => end(code));
    });
    this.#hold(false);
  }

  get over(): boolean {
    return this.#over !== undefined;
  }

  /** Asks after all earlier questions are answered. `signal` kills the git; then the question has no answer. */
  ask<T>(question: string | Uint8Array, read: (answers: Answers) => Promise<T>, signal: AbortSignal): Promise<T> {
    const answer = this.#turn.then(() => this.#answer(question, read, signal));
    this.#turn = answer.catch(() => {});
    return answer;
  }

  async #answer<T>(question: string | Uint8Array, read: (answers: Answers) => Promise<T>, signal: AbortSignal): Promise<T> {
    if (this.#over) throw new GitEnded(this.#over.code, this.#over.stderr, false);
    const kill = () => void this.#child.kill('SIGKILL');
    if (signal.aborted) kill();
    signal.addEventListener('abort', kill, { once: true });
    this.asked++;
    this.#hold(true);
    try {
      this.#child.stdin?.write(question);
      return await read(this.#answers);
    } finally {
      this.#hold(false);
      signal.removeEventListener('abort', kill);
    }
  }

  /** Ends it after its last answer. */
  async end(): Promise<void> {
    await this.#turn;
    this.#child.stdin?.end();
    await this.#ended;
  }

  /** Keeps this process from ending only while somebody waits for an answer. */
  #hold(on: boolean): void {
    for (const one of [this.#child, this.#child.stdin, this.#child.stdout, this.#child.stderr] as { ref(): void; unref(): void }[])
      if (on) one?.ref();
      else one?.unref();
  }

  readonly #answers: Answers = {
    line: () => this.before(NEWLINE),
    bytes: async (count) => {
      while (this.#size() < count) await this.#more();
      return this.#take(count);
    },
    before: (mark) => this.before(mark),
  };

  async before(mark: Buffer): Promise<Buffer> {
    for (let from = 0; ; ) {
      const whole = this.#joined();
      const at = whole.indexOf(mark, from);
      if (at >= 0) {
        const found = this.#take(at);
        this.#take(mark.length);
        return found;
      }
      from = Math.max(0, whole.length - mark.length);
      await this.#more();
    }
  }

  #more(): Promise<void> {
    if (this.#over) throw this.#over;
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }

  #size = () => this.#chunks.reduce((sum, chunk) => sum + chunk.length, 0);

  #joined(): Buffer {
    if (this.#chunks.length !== 1) this.#chunks = [Buffer.concat(this.#chunks)];
    return this.#chunks[0]!;
  }

  #take(count: number): Buffer {
    const whole = this.#joined();
    this.#chunks = [whole.subarray(count)];
    return whole.subarray(0, count);
  }
}

const NEWLINE = Buffer.from('\n');
