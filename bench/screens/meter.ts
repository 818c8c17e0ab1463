import { setTimeout as sleep } from 'node:timers/promises';
import { kindOf } from '../../test/storm/victims.ts';
import { processesOf, type Seen } from '../../test/support/processes.ts';
import { usage } from '../idle.ts';

/** Shares of one core, in percent. */
export interface Shares {
  readonly daemon: number;
  readonly tmux: number;
  /** Of the processes that were named. */
  readonly others: number;
}

/** Measures the daemon and the tmux of a farm, as they are when it is made. */
export function meter(base: string): (ms: number, others?: readonly Seen[]) => Promise<Shares> {
  const found = processesOf(base);
  const [daemon, tmux] = [found.filter((seen) => kindOf(seen) === 'daemon'), found.filter((seen) => kindOf(seen) === 'tmux')];
  const spent = (all: readonly Seen[]) => all.reduce((sum, seen) => sum + usage(seen).cpuMs, 0);
  return async (ms, others = []) => {
    const start = performance.now();
    const before = [daemon, tmux, others].map(spent);
    await sleep(ms);
    const took = performance.now() - start;
    const [ofDaemon, ofTmux, ofOthers] = [daemon, tmux, others].map((all, n) => ((spent(all) - before[n]!) / took) * 100);
    return { daemon: ofDaemon!, tmux: ofTmux!, others: ofOthers! };
  };
}
