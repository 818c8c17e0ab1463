import { spawnSync } from 'node:child_process';
import { FurrowError, isErrno } from '../platform/error.ts';

/**
 * Hands the terminal over to another program and waits for its end. The only children of a command: they need our own
 * terminal, so they cannot go through `platform/exec`, which gives a child neither input nor our process group.
 */
function handOver(program: string, argv: readonly string[], env: NodeJS.ProcessEnv = process.env): number {
  const ended = spawnSync(program, argv, { stdio: 'inherit', env });
  if (isErrno(ended.error, 'ENOENT')) {
    throw new FurrowError('MISSING', `${program} is not on the PATH`, { hint: 'furrow doctor' });
  }
  if (ended.error) throw ended.error;
  return ended.status ?? 1;
}

/** Attaches to the farm's own tmux server. `TMUX` is left out: inside the user's tmux it would refuse to nest. */
export function attachTmux(socket: string, session: string, window: string | null): number {
  const { TMUX: _, ...env } = process.env;
  const server = socket.includes('/') ? ['-S', socket] : ['-L', socket];
  return handOver('tmux', [...server, 'attach-session', '-t', window === null ? `=${session}` : `=${session}:${window}`], env);
}

/** `VISUAL` and `EDITOR` may have options in them, as in `code --wait`; the shell splits them as everywhere. */
export function openEditor(file: string): number {
  const editor = process.env['VISUAL'] || process.env['EDITOR'] || 'vi';
  return handOver('sh', ['-c', `${editor} "$1"`, editor, file]);
}

/** The daemon in the foreground, to watch it. */
export function foregroundDaemon(entry: string, root: string): number {
  return handOver(process.execPath, [entry, '--repo', root]);
}
