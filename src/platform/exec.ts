import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { cannotStart, hasRoomForChild } from './descriptors.ts';

/** The result of a finished command. A non-zero exit is an answer, never a rejection. */
export interface Finished {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly ms: number;
  readonly timedOut: boolean;
  /** Output went past `maxBytes` and the rest was dropped. */
  readonly truncated: boolean;
}

export interface ExecOptions {
  readonly cwd?: string;
  /** The whole environment of the child; nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly input?: string | Uint8Array;
  readonly maxBytes?: number;
  readonly signal?: AbortSignal;
  /** `latin1` keeps bytes apart that are not UTF-8. */
  readonly encoding?: 'utf8' | 'latin1';
  /** A descriptor that takes the output, so that it is not kept in memory. */
  readonly outputFd?: number;
  /** Called once with the child's pid, before it can have done anything. */
  readonly onSpawn?: (pid: number) => void;
}

type ExecLog = (line: { argv: readonly string[]; ms: number; code: number | null; signal: string | null }) => void;

let log: ExecLog = () => {};

/** Where each finished command is noted; the daemon sets it once. */
export function logExec(to: ExecLog): void {
  log = to;
}

const MAX_BYTES = 64 * 1024 * 1024;
const LAST_OUTPUT_MS = 100;

/**
 * Runs a command to its end: argv only (no shell), a timeout always, its own process group, bounded output.
 * On timeout or abort the whole group gets SIGKILL. Rejects only when the command cannot be started at all.
 */
export async function exec(argv: readonly [string, ...string[]], options: ExecOptions): Promise<Finished> {
  const collected = collect(argv, options);
  const ended = await runChild(argv, options, ({ stdout, stderr }) => {
    stdout?.on('data', collected.stdout);
    stderr?.on('data', collected.stderr);
  });
  return collected.finished(ended);
}

/** The end of a child, without its output. */
export type Ended = Pick<Finished, 'code' | 'signal' | 'timedOut'>;

/** Where the output of a child comes from; nothing with `outputFd`. */
export type Pipes = Pick<ChildProcess, 'stdout' | 'stderr'>;

/** Runs a command whose output the caller reads itself: `read` is called once, as soon as there is a child. */
export async function runChild(argv: readonly [string, ...string[]], options: ExecOptions, read: (pipes: Pipes) => void): Promise<Ended> {
  // Asked again right before the start: other starts that also waited may have taken the free descriptors.
  for (let late: AbortSignal | undefined; !hasRoomForChild(); ) {
    late ??= AbortSignal.timeout(ROOM_MS);
    await anotherEnds(argv[0], late);
  }
  const output = options.outputFd ?? 'pipe';
  const child = spawn(argv[0], argv.slice(1), {
    cwd: options.cwd,
    env: options.env,
    detached: true,
    stdio: [options.input === undefined ? 'ignore' : 'pipe', output, output],
  });
  const limit = killInTime(child, options);
  running += 1;
  const over = () => {
    running -= 1;
    limit.lift();
    ends.emit('end');
  };
  read(child);
  const ended = new Promise<Ended>((resolve, reject) => {
    child.once('error', (error) => {
      // A child that could not be killed still runs, and closes its pipes later.
      if (child.pid === undefined) over();
      reject(error);
    });
    child.on('close', (code, signal) => {
      if (child.pid !== undefined) over();
      resolve({ code, signal, timedOut: limit.timedOut() });
    });
  });
  if (child.pid !== undefined) options.onSpawn?.(child.pid);
  // A child may end without reading its input; that is no error.
  child.stdin?.on('error', () => {});
  if (options.input !== undefined) child.stdin?.end(options.input);
  return ended;
}

/** The number of children of `exec` that run now, and the event that one of them ended. */
let running = 0;
const ends = new EventEmitter().setMaxListeners(0);

/** The time that a start waits for another child to end and free descriptors. */
const ROOM_MS = 5000;

/** Resolves when another child ended, which may have freed descriptors. With 64 descriptors eight agents are served one after the other. */
async function anotherEnds(program: string, late: AbortSignal): Promise<void> {
  if (running === 0 || late.aborted) throw cannotStart(program);
  await once(ends, 'end', { signal: late }).catch(() => {});
}

/** Kills the child's group after its timeout or when the caller aborts; `lift` stops the watch. */
function killInTime(child: ChildProcess, { timeoutMs, signal }: ExecOptions): { lift(): void; timedOut(): boolean } {
  let timedOut = false;
  let killed = false;
  const kill = () => {
    killed = true;
    killGroup(child);
  };
  const timer = setTimeout(() => {
    timedOut = true;
    kill();
  }, timeoutMs);
  signal?.addEventListener('abort', kill, { once: true });
  if (signal?.aborted) kill();
  // The killed child may have handed its pipes to a process that lives on. The caller waits only for the end of the child.
  child.on('exit', () => {
    if (killed) setTimeout(() => [child.stdout, child.stderr].map((pipe) => pipe?.destroy()), LAST_OUTPUT_MS).unref();
  });
  const lift = () => {
    clearTimeout(timer);
    signal?.removeEventListener('abort', kill);
  };
  return { lift, timedOut: () => timedOut };
}

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    child.kill('SIGKILL');
  }
}

/** Collects the output of a command that starts now, and makes its result. */
export function collect(argv: readonly string[], options: ExecOptions) {
  const started = performance.now();
  const [stdout, stderr] = [bounded(options), bounded(options)];
  const finished = ({ code, signal, timedOut }: Ended): Finished => {
    const ms = performance.now() - started;
    log({ argv, ms, code, signal });
    const truncated = stdout.truncated() || stderr.truncated();
    return { code, signal, stdout: stdout.text(), stderr: stderr.text(), ms, timedOut, truncated };
  };
  return { stdout: stdout.take, stderr: stderr.take, finished };
}

function bounded(options: ExecOptions) {
  const limit = options.maxBytes ?? MAX_BYTES;
  const chunks: Buffer[] = [];
  let size = 0;
  let cut = false;
  const take = (chunk: Buffer) => {
    const room = limit - size;
    if (chunk.length > room) cut = true;
    if (room > 0) chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk);
    size += Math.min(chunk.length, room);
  };
  return { take, text: () => Buffer.concat(chunks).toString(options.encoding ?? 'utf8'), truncated: () => cut };
}

/**
 * Starts a long-lived child with piped input and output (a control client, a batch process). The caller owns its end. `detached`:
 * it does not have the terminal of whoever started it.
 */
export function spawnPiped(
  argv: readonly [string, ...string[]],
  options: { cwd?: string; env: Readonly<Record<string, string>>; detached?: boolean },
): ChildProcess {
  const { cwd, env, detached = false } = options;
  if (!hasRoomForChild()) throw cannotStart(argv[0]);
  return spawn(argv[0], argv.slice(1), { cwd, env, detached, stdio: ['pipe', 'pipe', 'pipe'] });
}

/** Starts a program of ours in a session of its own, without a terminal. We talk to it over one pipe, its descriptor 3. */
export function spawnWithPipe(argv: readonly [string, ...string[]], env: Readonly<Record<string, string | undefined>>): ChildProcess {
  if (!hasRoomForChild()) throw cannotStart(argv[0]);
  return spawn(argv[0], argv.slice(1), { cwd: '/', env, detached: true, stdio: ['ignore', 'ignore', 'inherit', 'pipe'] });
}
