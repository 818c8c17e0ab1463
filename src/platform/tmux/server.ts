import { unlink } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname, isAbsolute, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { FurrowError, isErrno } from '../error.ts';
import { exec, type Finished } from '../exec.ts';
import { privateFolder, writeWhole } from '../files.ts';
import type { ProcessId } from '../process/identity.ts';
import { argumentsOf, processTable } from '../process/table.ts';
import { silentError } from './client.ts';
import { CONFIG, FIRST_STATUS } from './config.ts';
import { HOME } from './home.ts';
import { HOME_OPTION } from './window-options.ts';

/** The place of a farm's own tmux server. */
export interface TmuxPlace {
  /** Absolute path of the socket, in a folder that only we may enter. */
  readonly socket: string;
  /** The server's folder: its configuration is here, and log paths are relative to it. */
  readonly dir: string;
  /** `[a-z0-9-]` */
  readonly session: string;
  /** The whole environment that the server, and so every pane, starts with. */
  readonly env: Readonly<Record<string, string>>;
}

/** Accepts a name for tmux. tmux runs `#(…)` in a name, so only plain names may reach it. */
export function checkName(name: string): string {
  if (!/^[a-z0-9][a-z0-9-]{0,39}$/.test(name)) throw new Error(`not a name for tmux: ${JSON.stringify(name)}`);
  return name;
}

/** Accepts an id that the server gave to a window or pane. A name would not do: tmux also matches its beginning. */
export function checkId(sign: '@' | '%', id: string): string {
  if (!/^[@%]\d+$/.test(id) || id[0] !== sign) throw new Error(`not a tmux id: ${JSON.stringify(id)}`);
  return id;
}

/** The server's environment: that of the place, a terminal type, and no variable that leads to a tmux we may run in ourselves. */
export function serverEnv(place: TmuxPlace): Record<string, string> {
  const { TMUX: _outer, TMUX_PANE: _pane, ...env } = place.env;
  return { ...env, TERM: 'tmux-256color' };
}

/** Runs one short tmux client against the place's socket. */
export async function tmuxClient(place: TmuxPlace, args: readonly string[], timeoutMs: number, input?: string): Promise<Finished> {
  const argv = ['tmux', '-S', place.socket, '-f', join(place.dir, 'tmux.conf'), ...args] as const;
  const done = exec(argv, { cwd: place.dir, env: serverEnv(place), timeoutMs, ...(input !== undefined && { input }) });
  // A tmux client hands its output to the server. Killed while the server is stopped, it leaves a pipe that nobody closes, so we must not
  // wait for the end of the pipe.
  const silence = new AbortController();
  const silent = pause(timeoutMs + 100, undefined, { signal: silence.signal }).then(() => Promise.reject(silentError(timeoutMs)));
  try {
    const finished = await Promise.race([done, silent]);
    if (finished.timedOut) throw silentError(timeoutMs);
    return finished;
  } catch (error) {
    if (isErrno(error, 'ENOENT')) throw new FurrowError('MISSING', 'tmux is not installed', { hint: 'install tmux 3.2 or newer' });
    throw error;
  } finally {
    silent.catch(() => {});
    silence.abort();
  }
}

/**
 * Makes sure that the server runs and has our session. One client does both, so two daemons cannot start two servers. The server starts in
 * `dir` and stays there; log paths are relative to it.
 */
export async function ensureServer(place: TmuxPlace, timeoutMs: number): Promise<void> {
  await checkPlace(place);
  await writeWhole(join(place.dir, 'tmux.conf'), `${[...CONFIG, FIRST_STATUS].join('\n')}\n`);
  const start = ['new-session', '-d', '-s', place.session, '-n', 'furrow', '-x', '200', '-y', '50', ...HOME];
  const args = [...start, ';', 'set-option', '-w', HOME_OPTION, '1'];
  let done = await tmuxClient(place, args, timeoutMs);
  if (/server exited/.test(done.stderr)) {
    // A server that was told to exit while a dead daemon's client was attached never finishes, and gives only this answer. It has no panes
    // any more; a new server needs the socket's name.
    await unlink(place.socket).catch(() => {});
    done = await tmuxClient(place, args, timeoutMs);
  }
  if (done.code === 0 || done.stderr.includes('duplicate session')) return;
  throw new FurrowError('TMUX_BROKEN', `tmux did not start: ${done.stderr.trim() || `exit ${done.code ?? done.signal}`}`, {
    hint: 'furrow doctor',
  });
}

async function checkPlace(place: TmuxPlace): Promise<void> {
  checkName(place.session);
  if (!isAbsolute(place.socket) || !isAbsolute(place.dir)) throw new Error('a tmux place is named by absolute paths');
  // sun_path has 108 bytes on Linux and 104 on macOS.
  if (Buffer.byteLength(place.socket) > 103) {
    throw new FurrowError('TMUX_SOCKET_LONG', `the path of the tmux socket is longer than 103 bytes: ${place.socket}`, {
      hint: 'move the repository to a shorter path',
    });
  }
  await privateFolder(dirname(place.socket));
}

/** True when something accepts connections on the socket; a socket file left by a killed server does not. */
export function isListening(socket: string): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = connect(socket);
    probe.on('connect', () => {
      probe.destroy();
      resolve(true);
    });
    probe.on('error', () => resolve(false));
  });
}

/** The servers that were started for a socket (and a session), even if somebody has removed the socket; Linux only. */
export function serversAt(socket: string, session?: string): ProcessId[] {
  if (process.platform !== 'linux') return [];
  return processTable().flatMap((found) => {
    const [program, ...args] = argumentsOf(found);
    const { pid, start } = found;
    const ours = program === 'tmux' && args[0] === '-S' && args[1] === socket && args.includes('new-session');
    return ours && (session === undefined || args[args.indexOf('-s') + 1] === session) ? [{ pid, start }] : [];
  });
}

/** Waits for the end of a server that was told to exit. One that hangs (see `ensureServer`) is killed, and gone on return. */
export async function awaitExit(place: TmuxPlace, pid: number): Promise<void> {
  if (await falls(place.socket)) return;
  signal(pid, 'SIGKILL');
  await falls(place.socket);
}

/** True once nobody listens any more; false after two seconds. */
async function falls(socket: string): Promise<boolean> {
  for (let tries = 0; tries < 100; tries++) {
    if (!(await isListening(socket))) return true;
    await pause(20);
  }
  return false;
}

/** Signals a process that the server has just named; it is no error if that has ended meanwhile. */
export function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch (error) {
    if (!isErrno(error, 'ESRCH')) throw error;
  }
}
