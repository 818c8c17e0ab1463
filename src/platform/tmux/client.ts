import { randomBytes } from 'node:crypto';
import { FurrowError } from '../error.ts';
import { spawnPiped } from '../exec.ts';
import { controlParser, type Reply } from './control.ts';

/** The answer of tmux to a command that it refused: an unknown pane, a dead one, no space. */
export class TmuxRefusal extends FurrowError {
  constructor(said: string) {
    super('TMUX_REFUSED', `tmux refused: ${said}`);
  }
}

/** The one long-lived control-mode client. It reads nothing of what panes print (`no-output`) and never sizes a window. */
export interface ControlClient {
  readonly pid: number;
  /** Resolves once attached. Before that tmux may carry out a line as if it came from nowhere ("no current client"). */
  attached(): Promise<void>;
  /** Carries out one line and hands back what it printed, as latin1. Never says "dead" of a server that is only slow. */
  request(line: string): Promise<readonly string[]>;
  onChange(listener: () => void): void;
  onGone(listener: (reason: string) => void): void;
  /** Detaches, after one last line if there is one. `onGone` stays silent: it was us. */
  close(lastLine?: string): Promise<void>;
}

interface Pending {
  settle(reply: Reply): void;
  fail(error: Error): void;
}

export function controlClient(
  argv: readonly [string, ...string[]],
  env: Readonly<Record<string, string>>,
  timeoutMs: number,
): ControlClient {
  const child = spawnPiped(argv, { env });
  const parser = controlParser();
  const pending: Pending[] = [];
  const changed: (() => void)[] = [];
  const gone: ((reason: string) => void)[] = [];
  const attached = Promise.withResolvers<void>();
  attached.promise.catch(() => {});
  let said = '';
  let over: string | undefined;
  let closing = false;

  child.stdout?.setEncoding('latin1').on('data', (chunk: string) => {
    let look = false;
    for (const event of parser.feed(chunk)) {
      if (event.on === 'reply') pending.shift()?.settle(event.reply);
      else if (event.line.startsWith('%exit')) said = event.line.slice(6);
      else look = true;
      if (event.on === 'note' && event.line.startsWith('%session-changed ')) attached.resolve();
    }
    if (look) for (const listener of changed) listener();
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    said = `${said}${chunk}`.slice(-500);
  });
  // Writing to a client that has just ended; `close` tells.
  child.stdin?.on('error', () => {});

  const ended = new Promise<void>((resolve) => {
    const end = (reason: string) => {
      if (over !== undefined) return;
      over = reason;
      attached.reject(goneError(reason));
      for (const waiting of pending.splice(0)) waiting.fail(goneError(reason));
      if (!closing) for (const listener of gone) listener(reason);
      resolve();
    };
    child.on('error', (error) => end(error.message));
    child.on('close', () => end(said.trim() || 'the tmux client ended'));
  });

  function attachedInTime(): Promise<void> {
    const timer = setTimeout(() => attached.reject(silentError(timeoutMs)), timeoutMs);
    return attached.promise.finally(() => clearTimeout(timer));
  }

  function request(line: string): Promise<readonly string[]> {
    if (/[\r\n]/.test(line)) throw new Error('one line, one request');
    if (over !== undefined) return Promise.reject(goneError(over));
    return new Promise((resolve, reject) => {
      // The place in the queue stays after a time-out: the reply of a server that wakes up must not go to the next in line.
      const timer = setTimeout(() => reject(silentError(timeoutMs)), timeoutMs);
      pending.push({
        settle: ({ lines, error }) => {
          clearTimeout(timer);
          error === undefined ? resolve(lines) : reject(new TmuxRefusal(error));
        },
        fail: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      const seal = randomBytes(16).toString('hex');
      parser.expect(seal);
      child.stdin?.write(`${line}\ndisplay-message -p ${seal}\n`);
    });
  }

  async function close(lastLine?: string): Promise<void> {
    closing = true;
    if (lastLine === undefined) child.stdin?.end();
    else child.stdin?.write(`${lastLine}\n`);
    // A client with unread output, or of a stopped server, never leaves by itself, and the server keeps its pipes open.
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      child.stdout?.destroy();
      child.stderr?.destroy();
    }, 500);
    await ended;
    clearTimeout(timer);
  }

  return {
    pid: child.pid ?? 0,
    attached: attachedInTime,
    request,
    onChange: (listener) => void changed.push(listener),
    onGone: (listener) => void (over === undefined ? gone.push(listener) : listener(over)),
    close,
  };
}

function goneError(reason: string): FurrowError {
  return new FurrowError('TMUX_GONE', `the connection to tmux ended: ${reason}`, { hint: 'furrow doctor' });
}

export function silentError(afterMs: number): FurrowError {
  return new FurrowError('TMUX_SILENT', `tmux has not answered for ${Math.round(afterMs / 1000)} s; its agents may well be alive`, {
    hint: 'furrow status',
  });
}
