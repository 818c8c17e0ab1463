import { closeSync, existsSync, openSync, watch } from 'node:fs';
import { dirname } from 'node:path';
import { isErrno } from './error.ts';

/**
 * Crash points. `FURROW_FAULT=point:n:action` makes the n-th passage of a point misbehave; commas separate several. Actions: `kill`
 * (SIGKILL to ourselves), `once=FILE` (kill unless FILE exists, and create it), `EIO` and `ENOSPC` (thrown as system errors), `delay=MS`,
 * `hold=FILE` (wait until FILE exists). Without the variable a point costs one map look-up.
 */
interface Fault {
  countdown: number;
  action: string;
}

const armed = parse(process.env['FURROW_FAULT'] ?? '');

function parse(text: string): Map<string, Fault> {
  const faults = new Map<string, Fault>();
  for (const item of text.split(',').filter(Boolean)) {
    const [point, n, action] = item.split(':');
    if (point && action) faults.set(point, { countdown: Number(n), action });
  }
  return faults;
}

export async function faultPoint(point: string): Promise<void> {
  const fault = armed.get(point);
  if (!fault || --fault.countdown !== 0) return;
  if (fault.action.startsWith('once=') && !isFirst(fault.action.slice(5))) return;
  if (fault.action === 'kill' || fault.action.startsWith('once=')) {
    process.kill(process.pid, 'SIGKILL');
    await new Promise(() => {});
  }
  if (fault.action.startsWith('delay=')) return new Promise((done) => setTimeout(done, Number(fault.action.slice(6))));
  if (fault.action.startsWith('hold=')) return thereIs(fault.action.slice(5));
  throw Object.assign(new Error(`${fault.action}: injected at ${point}`), { code: fault.action });
}

/** True for exactly one of the processes that share the file. */
function isFirst(file: string): boolean {
  try {
    closeSync(openSync(file, 'wx'));
    return true;
  } catch (error) {
    if (isErrno(error, 'EEXIST')) return false;
    throw error;
  }
}

/** Waits for a file. It starts the watch before it looks, so that the file cannot appear unseen in between. */
function thereIs(file: string): Promise<void> {
  return new Promise((done) => {
    const look = () => {
      if (!existsSync(file)) return;
      watcher.close();
      done();
    };
    const watcher = watch(dirname(file), look);
    look();
  });
}
