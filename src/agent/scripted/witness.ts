import { appendFileSync, closeSync, openSync, readFileSync, unlinkSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';

/**
 * An oracle that furrow knows nothing of (`FURROW_WITNESS=folder`): a running agent holds a file per task, made with
 * O_EXCL, and screams into the folder when a living other holds it; every commit it makes is noted there.
 */
export interface Witness {
  committed(sha: string): void;
  leave(): void;
}

export function attend(folder: string | undefined, phase: string, task: string): Witness {
  if (!folder) return { committed() {}, leave() {} };
  const held = join(folder, `${phase}-${task}.running`);
  const me = `${process.pid} ${startOf(process.pid)}`;
  if (!take(held, me)) {
    const other = readFileSync(held, 'utf8');
    if (alive(other)) writeFileSync(join(folder, `OVERLAP-${phase}-${task}-${process.pid}`), `${me}\n${other}\n`);
    writeFileSync(held, me);
  }
  return {
    committed: (sha) => appendFileSync(join(folder, 'commits.log'), `${sha} ${phase}/${task}\n`),
    leave: () => {
      if (readFileSync(held, 'utf8') === me) unlinkSync(held);
    },
  };
}

function take(path: string, content: string): boolean {
  try {
    const fd = openSync(path, 'wx');
    writeSync(fd, content);
    closeSync(fd);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

/** A pid alone proves nothing (they are used again); a zombie still answers signals but does nothing. */
function alive(holder: string): boolean {
  const [pid, start] = holder.trim().split(' ');
  return start !== undefined && startOf(Number(pid)) === start;
}

/** Field 22 of /proc/pid/stat, or '' for none or a dead one. The name before it may hold spaces and brackets. */
function startOf(pid: number): string {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields[0] === 'Z' || fields[0] === 'X' ? '' : fields[19]!;
  } catch {
    return '';
  }
}
