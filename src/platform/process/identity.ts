import { isErrno } from '../error.ts';
import { darwin } from './darwin.ts';
import { linux } from './linux.ts';
import type { ProcessId, ProcessSource } from './source.ts';

export type { ProcessId } from './source.ts';

export const source: ProcessSource = process.platform === 'darwin' ? darwin : linux;

/** The process that has this pid now. `undefined`: none; a zombie counts as none, though `kill(pid, 0)` says it lives. */
export function identify(pid: number): ProcessId | undefined {
  const found = source.one(pid);
  return found && { pid: found.pid, start: found.start };
}

/** True while that very process runs. A pid alone proves nothing: they are reused after as few as 32,768. */
export function isAlive(id: ProcessId): boolean {
  return source.one(id.pid)?.start === id.start;
}

/** True when any process has this pid, a zombie too: one call instead of three and a parse, for looks every second. */
export function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !isErrno(error, 'ESRCH');
  }
}

/**
 * Sends a signal to that very process: its identity is read again right before, since a pid may have changed hands after it was looked up. `false`: it has
 * ended, or is another user's (a setuid child).
 */
export function signalProcess(id: ProcessId, name: NodeJS.Signals): boolean {
  if (!isAlive(id)) return false;
  try {
    return process.kill(id.pid, name);
  } catch {
    return false;
  }
}
