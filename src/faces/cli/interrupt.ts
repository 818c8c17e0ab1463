import type { Client } from '../../api/client.ts';
import type { Progress } from './view/work.ts';

/** The second Ctrl-C: 128 + SIGINT, as every shell expects. */
export const LEFT_RUNNING = 130;

/** A terminal signals the whole group, and the launcher passes on what it got itself: within this time it is one Ctrl-C. */
const SAME_MS = 50;
/** A second press changes what is meant, so nothing is stopped before this time is over. */
const SECOND_THOUGHTS_MS = 1000;

/**
 * Ctrl-C once stops the work a moment later, and `settled` then says how it ended. Twice leaves the farm at work: in that
 * moment nothing has been stopped; later the stop is taken back for agents that have not been ended, and what was ended
 * stays ended. A third time waits for nothing.
 */
export function interrupted(farm: Client, progress: Progress, phase: string): Promise<'left' | 'stopped'> {
  return new Promise((resolve, reject) => {
    let times = 0;
    let last = Number.NEGATIVE_INFINITY;
    let stopping: NodeJS.Timeout | undefined;
    process.on('SIGINT', () => {
      const now = performance.now();
      const same = now - last < SAME_MS;
      last = now;
      if (same) return;
      times++;
      if (times === 1) {
        progress.say('stopping: agents end, their work is kept. Ctrl-C again leaves the farm running');
        stopping = setTimeout(() => {
          stopping = undefined;
          farm.call('stop', {}).catch(reject);
        }, SECOND_THOUGHTS_MS);
      } else if (times === 2 && stopping) {
        clearTimeout(stopping);
        resolve('left');
      } else if (times === 2) {
        farm.call('carryOn', { phase }).then(({ agents }) => resolve(agents.length > 0 ? 'left' : 'stopped'), reject);
      } else process.exit(LEFT_RUNNING);
    });
  });
}
