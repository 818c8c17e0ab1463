import { setImmediate as turnOfOthers } from 'node:timers/promises';
import type { Farm } from '../farm/farm.ts';

const AGAIN_MS = 2000;
const TICK = { key: 'tick', what: 'look at all of the farm', next: 'furrow doctor' };

export interface Ticks {
  wake(): void;
  /** Resolves when a tick that began after this call has ended: it has seen what was written before. */
  looked(): Promise<void>;
  /** No further tick; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/** One tick at a time; a wake during one makes it run once more. */
export function startLoop(farm: Farm, once: () => Promise<void>): Ticks {
  let wanted = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  let waiting: (() => void)[] = [];

  const turn = async () => {
    while (wanted && !stopped) {
      wanted = false;
      const seen = waiting;
      waiting = [];
      await once().then(
        () => {
          farm.troubles.delete('tick');
          return farm.failing.worked('tick');
        },
        async (thrown: unknown) => {
          // A full disk, a broken store: nothing was half done. It is said, and tried again.
          const error = thrown as Error;
          farm.troubles.set('tick', error.message);
          farm.log.error({ error: error.stack }, 'a tick failed');
          setTimeout(wake, AGAIN_MS).unref();
          // What is stored need not be remembered, too.
          if ((await farm.failing.failed(TICK, error, AGAIN_MS)).told) farm.troubles.delete('tick');
        },
      );
      for (const done of seen) done();
      // A tick that waits for no process, one that wakes the next above all, would leave nobody else a turn: no call was answered for minutes.
      await turnOfOthers();
    }
    if (stopped) for (const done of waiting) done();
  };
  const wake = () => {
    wanted = true;
    if (!stopped)
      running ??= turn().finally(() => {
        running = undefined;
        if (wanted) wake();
      });
  };
  return {
    wake,
    looked: () =>
      new Promise((done) => {
        if (stopped) return done();
        waiting.push(done);
        wake();
      }),
    async stop() {
      stopped = true;
      await running;
    },
  };
}
