import { spawn, spawnSync } from 'node:child_process';
import { constants } from 'node:os';
import { FurrowError, isErrno } from '../../platform/error.ts';
import { NESTED_PREFIX } from '../../platform/tmux/window-options.ts';

/**
 * Hands the terminal over to another program and waits for its end. The only children of a command: they need our own
 * terminal, so they cannot go through `platform/exec`, which gives a child neither input nor our process group.
 */
function handOver(program: string, argv: readonly string[], env: NodeJS.ProcessEnv = process.env, cwd?: string): number {
  const ended = spawnSync(program, argv, { stdio: 'inherit', env, cwd });
  if (isErrno(ended.error, 'ENOENT')) {
    throw new FurrowError('MISSING', `${program} is not on the PATH`, { hint: 'furrow doctor' });
  }
  if (ended.error) throw ended.error;
  return ended.status ?? 1;
}

/**
 * Runs a command in the foreground and answers its exit code, as a shell would: 127 when it is not there, 128 and the signal that ended
 * it. Ctrl-C is the command's, which the terminal tells by itself; what is sent to us alone is passed on.
 */
export function runBelow([program = '', ...argv]: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const ignore = () => {};
  const child = spawn(program, argv, { stdio: 'inherit', env });
  const passOn = (signal: NodeJS.Signals) => void child.kill(signal);
  process.on('SIGINT', ignore);
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.on(signal, passOn);
  return new Promise((resolve) => {
    child.on('error', (error) => resolve(isErrno(error, 'ENOENT') ? NOT_FOUND : NOT_STARTED));
    child.on('close', (code, signal) => resolve(code ?? 128 + (constants.signals[signal!] ?? 0)));
  });
}

/**
 * Attaches to the farm's own tmux server. `TMUX` is left out: inside the user's tmux it would refuse to nest. There, the farm's windows are
 * told which keys reach them. In a popup of the farm itself the person already looks at it, and only the window is another one.
 */
export function attachTmux(socket: string, session: string, window: string | null): number {
  const { TMUX: outer, ...env } = process.env;
  const server = socket.includes('/') ? ['-S', socket] : ['-L', socket];
  const target = window === null ? `=${session}` : `=${session}:${window}`;
  if (outer?.split(',')[0] === socket) return handOver('tmux', [...server, 'select-window', '-t', window ?? `=${session}:{start}`], env);
  const prefix = outer ? nestedPrefix(outerPrefix()) : undefined;
  const told = prefix === undefined ? [] : ['set-option', '-g', NESTED_PREFIX, prefix, ';'];
  if (prefix !== undefined) process.stderr.write(`in your own tmux: ${prefix} is the prefix for the farm, ${prefix} d leaves it\n`);
  return handOver('tmux', [...server, ...told, 'attach-session', '-t', target], env);
}

/** The prefix of the tmux that the person is in. */
function outerPrefix(): string {
  const asked = spawnSync('tmux', ['show-options', '-gv', 'prefix'], { encoding: 'utf8', timeout: 2000 });
  return asked.stdout?.trim() ?? '';
}

/** The farm's prefix is C-b. Where theirs is the same one, theirs takes the first and passes the second on. */
export const nestedPrefix = (outer: string): string => (outer === 'C-b' ? 'C-b C-b' : 'C-b');

/** `VISUAL` and `EDITOR` may have options in them, as in `code --wait`; the shell splits them as everywhere. */
export function openEditor(file: string): number {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi';
  return handOver('sh', ['-c', `${editor} "$1"`, editor, file]);
}

/** The daemon in the foreground, to watch it. */
export function foregroundDaemon(entry: string, root: string): number {
  return handOver(process.execPath, [entry, '--repo', root]);
}

/** The shell's exit codes for a missing program, and for one that cannot be started. */
const NOT_FOUND = 127;
const NOT_STARTED = 126;

/** Shows text in a pager, with the options that git gives to less. False: there is no such pager, and nothing was shown. */
export function runPager(pager: string, text: string, less = 'FRX'): boolean {
  // Ctrl-C is for the pager: were we to end, it would be left alone with the terminal.
  const ignore = () => {};
  process.on('SIGINT', ignore);
  try {
    const env = { LESS: less, LV: '-c', ...process.env };
    return spawnSync('sh', ['-c', pager], { input: text, stdio: ['pipe', 'inherit', 'inherit'], env }).status !== NOT_FOUND;
  } finally {
    process.off('SIGINT', ignore);
  }
}

/** Runs a command line on a folder, in it, and waits for its end. The shell splits the command, as with `EDITOR`. */
export function openFolder(command: string, folder: string): number {
  return handOver('sh', ['-c', `${command} "$1"`, command, folder], process.env, folder);
}

/** Opens an address in the person's browser, which lives on by itself. Where nothing can open one, nothing happens. */
export function openBrowser(url: string): void {
  const child = spawn(process.platform === 'darwin' ? 'open' : 'xdg-open', [url], { stdio: 'ignore', detached: true });
  child.on('error', () => {});
  child.unref();
}
