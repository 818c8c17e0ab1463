import { spawnSync } from 'node:child_process';
import { appendFileSync, openSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * An oracle that furrow knows nothing of (`FURROW_WITNESS=folder`): a running agent holds a lock per task, and screams
 * into the folder when somebody else has it; every commit it makes is noted there.
 */
export interface Witness {
  committed(sha: string): void;
}

export function attend(folder: string | undefined, phase: string, task: string): Witness {
  if (!folder) return { committed() {} };
  const name = `${phase}-${task}`;
  if (!lock(join(folder, `${name}.running`))) writeFileSync(join(folder, `OVERLAP-${name}-${Date.now()}-${process.pid}`), '');
  return { committed: (sha) => appendFileSync(join(folder, 'commits.log'), `${sha} ${phase}/${task}\n`) };
}

/**
 * A lock of the operating system, which ends with this process however it ends. A pid in a file proves nothing here:
 * agents may run in pid namespaces of their own. flock(1) locks the descriptor it shares with us, so we keep the lock.
 */
function lock(path: string): boolean {
  const fd = openSync(path, 'a');
  const { status, error } = spawnSync('flock', ['--nonblock', '3'], { stdio: ['ignore', 'ignore', 'inherit', fd] });
  if (error) throw error;
  return status === 0;
}
