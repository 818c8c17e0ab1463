import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { daemonOf } from '../../../src/platform/daemon-lock.ts';

/** The kernel counts hundredths of a second. */
const TICKS = 100;

/** Sums up the processor time of all daemons that a repository has had since then. `look` is called now and then, and before a kill. */
export function daemonTime(root: string): { look(): void; seconds(): number } {
  const before = new Map<number, number>();
  const last = new Map<number, number>();
  const look = () => {
    const pid = daemonOf(join(root, '.git'))?.pid;
    const used = pid === undefined ? undefined : timeOf(pid);
    if (pid !== undefined && used !== undefined) last.set(pid, used);
  };
  look();
  for (const [pid, used] of last) before.set(pid, used);
  return { look, seconds: () => Math.round([...last].reduce((sum, [pid, used]) => sum + used - (before.get(pid) ?? 0), 0)) };
}

function timeOf(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) / TICKS;
  } catch {
    // It has just been killed.
    return undefined;
  }
}
