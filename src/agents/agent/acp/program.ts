import { type ChildProcessByStdio, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Order } from '../drivers/acp/order.ts';

/** The agent's own process. */
export interface Program {
  readonly input: Writable;
  readonly output: Readable;
  /** Its end: its exit code, and the last it said beside the protocol. */
  readonly ended: Promise<{ readonly code: number; readonly last: string }>;
  /** Ends it and what it started. Safe to call twice. */
  end(): void;
}

/** The shell's way to say that a command was killed. */
const KILLED = 137;
const GRACE_MS = 3_000;
const LAST = 4_000;

/**
 * Starts the agent in a process group of its own, so that a key in the window is no signal for it. Our token is not handed on: it
 * says who speaks for the attempt.
 */
export function startProgram({ run, cwd }: Order, { FURROW_TOKEN: _, ...env }: NodeJS.ProcessEnv): Program {
  const child: ChildProcessByStdio<Writable, Readable, Readable> = spawn('sh', ['-c', run], { cwd, env, stdio: 'pipe', detached: true });
  let last = '';
  child.stderr.on('data', (chunk: Buffer) => {
    last = (last + chunk.toString()).slice(-LAST);
  });
  const ended = new Promise<{ code: number; last: string }>((resolve) => {
    child.on('error', (error) => resolve({ code: 1, last: error.message }));
    child.on('close', (code) => resolve({ code: code ?? KILLED, last: last.trim() }));
  });
  const signal = (name: NodeJS.Signals) => {
    try {
      process.kill(-child.pid!, name);
    } catch {
      // It has ended.
    }
  };
  const end = () => {
    child.stdin.end();
    signal('SIGTERM');
    const late = setTimeout(() => signal('SIGKILL'), GRACE_MS);
    void ended.then(() => clearTimeout(late));
  };
  // What it started may live on, with its output open.
  child.on('exit', end);
  return {
    input: child.stdin,
    output: child.stdout,
    ended,
    end,
  };
}
