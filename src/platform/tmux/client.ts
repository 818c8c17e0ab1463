import { randomBytes } from 'node:crypto';
import { FurrowError } from '../error.ts';
import { spawnPiped } from '../exec.ts';
import { controlParser, type Reply } from './control.ts';

/** The error when tmux refuses a command: an unknown pane, a dead one, no space. */
export class TmuxRefusal extends FurrowError {
  constructor(said: string) {
    super('TMUX_REFUSED', `tmux refused: ${said}`);
  }
}

/** `opened`: no program has ended; windows or panes were opened, arranged or started. `other`: anything else, perhaps an end. */
export type Change = 'opened' | 'other';

/** A pane that lives, by the second way to hear of ends (`DEATH_SUBSCRIPTION`), is a new one. */
const OPENED = /^%(window-add |layout-change |subscription-changed .* 0$)/;

/** The one long-lived control-mode client. It does not read what panes print (`no-output`), and never sizes a window. */
export interface ControlClient {
  readonly pid: number;
  /** Resolves once attached. Before that tmux may run a line without a current client ("no current client"). */
  attached(): Promise<void>;
  /** Runs one line and returns what it printed, as latin1. It never reports a slow server as dead. */
  request(line: string): Promise<readonly string[]>;
  onChange(listener: (change: Change) => void): void;
  onGone(listener: (reason: string) => void): void;
  /** Detaches, after one last line if given. `onGone` is not called, as we closed it ourselves. */
  close(lastLine?: string): Promise<void>;
}

interface Pending {
  answer(reply: Reply): void;
  fail(error: Error): void;
}

export function controlClient(
  argv: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  timeoutMs: number,
): ControlClient {
  return new Client(spawnPiped(argv, { env }), timeoutMs);
}

class Client implements ControlClient {
  readonly pid: number;
  readonly #child: ReturnType<typeof spawnPiped>;
  readonly #timeoutMs: number;
  readonly #parser = controlParser();
  readonly #pending: Pending[] = [];
  readonly #changed: ((change: Change) => void)[] = [];
  readonly #gone: ((reason: string) => void)[] = [];
  readonly #attached = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<void>();
  #said = '';
  #over: string | undefined;
  #closing = false;

  constructor(child: ReturnType<typeof spawnPiped>, timeoutMs: number) {
    this.#child = child;
    this.#timeoutMs = timeoutMs;
    this.pid = child.pid ?? 0;
    this.#attached.promise.catch(() => {});
    child.stdout?.setEncoding('latin1').on('data', (chunk: string) => this.#read(chunk));
    child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
      this.#said = `${this.#said}${chunk}`.slice(-500);
    });
    // The client has just ended; `close` reports it.
    child.stdin?.on('error', () => {});
    child.on('error', (error) => this.#end(error.message));
    child.on('close', () => this.#end(this.#said.trim() || 'the tmux client ended'));
  }

  attached(): Promise<void> {
    const timer = setTimeout(() => this.#attached.reject(silentError(this.#timeoutMs)), this.#timeoutMs);
    return this.#attached.promise.finally(() => clearTimeout(timer));
  }

  request(line: string): Promise<readonly string[]> {
    if (/[\r\n]/.test(line)) throw new Error('one line, one request');
    if (this.#over !== undefined) return Promise.reject(goneError(this.#over));
    return new Promise((resolve, reject) => {
      // The place in the queue stays after a timeout: a late reply of the server must not go to the next request.
      const timer = setTimeout(() => reject(silentError(this.#timeoutMs)), this.#timeoutMs);
      this.#pending.push({
        answer: ({ lines, error }) => {
          clearTimeout(timer);
          error === undefined ? resolve(lines) : reject(new TmuxRefusal(error));
        },
        fail: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      const seal = randomBytes(16).toString('hex');
      this.#parser.expect(seal);
      this.#child.stdin?.write(`${line}\ndisplay-message -p ${seal}\n`);
    });
  }

  onChange(listener: (change: Change) => void): void {
    this.#changed.push(listener);
  }

  onGone(listener: (reason: string) => void): void {
    if (this.#over === undefined) this.#gone.push(listener);
    else listener(this.#over);
  }

  async close(lastLine?: string): Promise<void> {
    this.#closing = true;
    if (lastLine === undefined) this.#child.stdin?.end();
    else this.#child.stdin?.write(`${lastLine}\n`);
    // A client with unread output, or of a stopped server, never ends by itself, and the server keeps its pipes open.
    const timer = setTimeout(() => {
      this.#child.kill('SIGKILL');
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
    }, 500);
    await this.#ended.promise;
    clearTimeout(timer);
  }

  #read(chunk: string): void {
    let change: Change | undefined;
    for (const event of this.#parser.feed(chunk)) {
      if (event.on === 'reply') this.#pending.shift()?.answer(event.reply);
      else if (event.line.startsWith('%exit')) this.#said = event.line.slice(6);
      else change = change === 'other' || !OPENED.test(event.line) ? 'other' : 'opened';
      if (event.on === 'note' && event.line.startsWith('%session-changed ')) this.#attached.resolve();
    }
    if (change) for (const listener of this.#changed) listener(change);
  }

  #end(reason: string): void {
    if (this.#over !== undefined) return;
    this.#over = reason;
    this.#attached.reject(goneError(reason));
    for (const waiting of this.#pending.splice(0)) waiting.fail(goneError(reason));
    if (!this.#closing) for (const listener of this.#gone) listener(reason);
    this.#ended.resolve();
  }
}

function goneError(reason: string): FurrowError {
  return new FurrowError('TMUX_GONE', `the connection to tmux ended: ${reason}`, { hint: 'furrow doctor' });
}

export function silentError(afterMs: number): FurrowError {
  return new FurrowError('TMUX_SILENT', `tmux has not answered for ${Math.round(afterMs / 1000)} s; its agents may well be alive`, {
    hint: 'furrow status',
  });
}
