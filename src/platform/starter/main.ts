import { closeSync, constants, openSync } from 'node:fs';
import { Socket } from 'node:net';
import type { Readable } from 'node:stream';
import { type Pipes, runChild } from '../exec.ts';
import type { Request } from './call.ts';
import { FORM, type Frame, frame, framesTo, type Kind } from './frames.ts';

/**
 * The starter: a small process that starts gits and checks for the daemon, because a start is a fork, and a fork stops a process of 120 MB for
 * milliseconds. It has only the pipe that it inherited and ends with it, so it outlives no daemon, however that one dies.
 */
const pipe = new Socket({ fd: 3, readable: true, writable: true });

/** The running children by their call, each with the controller that kills it; `stays`: it outlives the daemon. */
const calls = new Map<number, AbortController & { stays?: true }>();

/** Output that waits until the daemon has read the earlier output. */
const paused = new Set<Readable>();

/** Output up to this size is sent together with the end of its child: most have less, and one message costs less than three. */
const HELD_BYTES = 64 * 1024;

/** The time that a git may work on after the daemon died. If killed at once, it would leave its locks. */
const GRACE_MS = 2000;

let alone = false;

const send = (...message: Parameters<typeof frame>): boolean => alone || pipe.write(frame(...message));

function take({ kind, call, words, bytes }: Frame): void {
  if (kind === 'kill') calls.get(call)?.abort();
  if (kind === 'start') void start(call, words as Request, bytes);
}

async function start(call: number, request: Request, bytes: Buffer): Promise<void> {
  const { argv, cwd, env, timeoutMs, input, output: file } = request;
  const ending = new AbortController();
  calls.set(call, file === undefined ? ending : Object.assign(ending, { stays: true as const }));
  const output = new Output(call);
  let outputFd: number | undefined;
  try {
    if (file !== undefined) outputFd = openOutput(file);
    const options = {
      ...{ cwd, env, timeoutMs, signal: ending.signal },
      ...(input && { input: bytes }),
      ...(outputFd !== undefined && { outputFd }),
    };
    const ended = await runChild(argv, options, (pipes) => output.readFrom(pipes));
    const [stdout, stderr] = output.take();
    send('ended', call, { ...ended, stdout: stdout.length }, [stdout, stderr]);
  } catch (error) {
    // The message of a system error is not among its own fields.
    send('failed', call, { ...(error as Error), message: (error as Error).message });
  }
  if (outputFd !== undefined) closeSync(outputFd);
  calls.delete(call);
  if (alone) endWithLast();
}

/** Nothing was started yet: the daemon then does it itself. */
function openOutput(file: string): number {
  try {
    return openSync(file, constants.O_WRONLY | constants.O_APPEND | constants.O_NOCTTY);
  } catch (error) {
    throw Object.assign(error as Error, { unopened: true });
  }
}

/** The output of one child: held until the child ends, or passed on when it grows large. */
class Output {
  readonly #call: number;
  #held: Record<'stdout' | 'stderr', Buffer[]> = { stdout: [], stderr: [] };
  #size = 0;

  constructor(call: number) {
    this.#call = call;
  }

  readFrom({ stdout, stderr }: Pipes): void {
    stdout?.on('data', (chunk: Buffer) => this.#hear('stdout', chunk, stdout));
    stderr?.on('data', (chunk: Buffer) => this.#hear('stderr', chunk, stderr));
  }

  #hear(kind: 'stdout' | 'stderr', chunk: Buffer, from: Readable): void {
    this.#held[kind].push(chunk);
    this.#size += chunk.length;
    if (this.#size <= HELD_BYTES) return;
    const [out, err] = this.take();
    if (this.#pass('stdout', out) && this.#pass('stderr', err)) return;
    paused.add(from.pause());
  }

  #pass(kind: Kind, bytes: Buffer): boolean {
    return bytes.length === 0 || send(kind, this.#call, null, [bytes]);
  }

  take(): [Buffer, Buffer] {
    const { stdout, stderr } = this.#held;
    this.#held = { stdout: [], stderr: [] };
    this.#size = 0;
    return [Buffer.concat(stdout), Buffer.concat(stderr)];
  }
}

function resume(): void {
  for (const one of paused) one.resume();
  paused.clear();
}

/** The daemon is gone: gives its children a moment to end by themselves. */
function end(): void {
  alone = true;
  resume();
  // The next daemon ends them, by their marker.
  for (const [call, { stays }] of calls) if (stays) calls.delete(call);
  endWithLast();
  setTimeout(() => {
    for (const ending of calls.values()) ending.abort();
    process.exit(0);
  }, GRACE_MS);
}

function endWithLast(): void {
  if (calls.size === 0) process.exit(0);
}

if (!process.argv.includes(FORM)) process.exit(1);
pipe.on('data', framesTo(take));
pipe.on('drain', resume);
pipe.on('error', () => {});
pipe.once('close', end);
