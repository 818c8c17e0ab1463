import { isErrno } from '../error.ts';
import { darwin } from './darwin.ts';
import { linux } from './linux.ts';
import type { ProcessId, ProcessSource } from './source.ts';

export type { ProcessId } from './source.ts';

export const source: ProcessSource = process.platform === 'darwin' ? darwin : linux;

/** The process that has this pid now; `undefined` when there is none. A zombie counts as none, though `kill(pid, 0)` finds it. */
export function identify(pid: number): ProcessId | undefined {
  const found = source.one(pid);
  return found && { pid: found.pid, start: found.start };
}

/** True while that very process runs. A pid alone proves nothing: the system reuses it after as few as 32,768 others. */
export function isAlive(id: ProcessId): boolean {
  return source.one(id.pid)?.start === id.start;
}

/** True when any process has this pid, even a zombie. It is one call in place of three and a parse, for looks every second. */
export function isTaken(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return !isErrno(error, 'ESRCH');
  }
}

/**
 * Sends a signal to that very process. It reads the identity again right before, since the pid may have got another process since the
 * look-up. `false`: it has ended, or belongs to another user (a setuid child).
 */
export function signalProcess(id: ProcessId, name: NodeJS.Signals): boolean {
  if (!isAlive(id)) return false;
  try {
    return process.kill(id.pid, name);
  } catch {
    return false;
  }
}
