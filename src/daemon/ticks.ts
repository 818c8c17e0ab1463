import { setImmediate as turnOfOthers } from 'node:timers/promises';
import { backoff } from '../platform/backoff.ts';
import type { Farm } from './farm/farm.ts';

export type Why = 'regular' | 'soon';

/** A landed task had ten ticks, three of them because its status had been written into its file. */
const SOON_MS = 20;

const TICK = { key: 'tick', what: 'look at all of the farm', next: 'furrow doctor' };

export interface Ticks {
  /**
   * `regular`: nothing has happened, it is only time for a look; a loop that rests after a failed tick goes on resting. `soon`: what has
   * happened hardly ever lets anything begin, so it waits a moment for a tick that something else wakes.
   */
  wake(why?: Why): void;
  /** Resolves when a tick that began after this call has ended: it has seen what was written before. */
  looked(): Promise<void>;
  /** No further tick; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

/** The parts of a farm that the loop itself needs. */
type Looped = Pick<Farm, 'clock' | 'failing' | 'log' | 'troubles'>;

/** One tick at a time; a wake during one makes it run once more. After one that failed the loop rests (`restsUntil`). */
export function startLoop(farm: Looped, once: () => Promise<void>): Ticks {
  let wanted = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  let waiting: (() => void)[] = [];
  let failed = NONE_FAILED;
  let alarm: NodeJS.Timeout | undefined;
  let soon: NodeJS.Timeout | undefined;

  const rests = () => restsUntil(failed) - farm.clock.awake();
  const turn = async () => {
    while (wanted && !stopped && rests() <= 0) {
      wanted = false;
      clearTimeout(soon);
      soon = undefined;
      const seen = waiting;
      waiting = [];
      failed = await once().then(
        () => tickWorked(farm),
        // Whoever waits since then for a whole look is news; any other wake may have come from the tick itself.
        async (error: Error) => ({ ...(await tickFailed(farm, error, failed.count + 1)), woken: waiting.length > 0 }),
      );
      // What failed is tried again, with or without news.
      if (failed.count > 0) wanted = true;
      for (const done of seen) done();
      // A tick that waits for no process, one that wakes the next above all, would leave nobody else a turn: no call was answered for minutes.
      await turnOfOthers();
    }
    if (stopped) for (const done of waiting) done();
  };
  const begin = () => {
    clearTimeout(alarm);
    if (stopped || running) return;
    if (rests() > 0) {
      alarm = setTimeout(begin, rests()).unref();
      return;
    }
    // Later, so that a wake by the tick itself finds it running.
    running = Promise.resolve()
      .then(turn)
      .finally(() => {
        running = undefined;
        if (wanted) begin();
      });
  };
  const wake: Ticks['wake'] = (why) => {
    if (why === 'soon') {
      soon ??= setTimeout(wake, SOON_MS);
      return;
    }
    wanted = true;
    if (!running && why !== 'regular') failed = { ...failed, woken: true };
    begin();
  };
  return {
    wake,
    looked: () =>
      new Promise((done) => {
        if (stopped) return done();
        waiting.push(done);
        failed = { ...failed, woken: true };
        wake();
      }),
    async stop() {
      stopped = true;
      clearTimeout(alarm);
      clearTimeout(soon);
      await running;
      for (const done of waiting) done();
    },
  };
}

async function tickWorked(farm: Looped): Promise<FailedTicks> {
  farm.troubles.delete('tick');
  await farm.failing.worked('tick');
  return NONE_FAILED;
}

/** A full disk, a broken store: nothing was half done. It is said, and tried again. */
async function tickFailed(farm: Looped, error: Error, count: number): Promise<Omit<FailedTicks, 'woken'>> {
  farm.troubles.set('tick', error.message);
  farm.log.error({ error: error.stack }, 'a tick failed');
  // What is stored need not be remembered, too.
  if ((await farm.failing.failed(TICK, error, restMs(count))).told) farm.troubles.delete('tick');
  return { count, at: farm.clock.awake() };
}

const FIRST_MS = 2000;
const LONGEST_MS = 60_000;

/** The ticks that failed since the last one that worked. */
interface FailedTicks {
  readonly count: number;
  /** `awake` time at which the last of them ended. */
  readonly at: number;
  /** Something has happened since: a call, a changed file, an agent that ended. */
  readonly woken: boolean;
}

const NONE_FAILED: FailedTicks = { count: 0, at: 0, woken: false };

/** The rest after so many failures in a row. */
const restMs = (count: number): number => backoff(count, FIRST_MS, LONGEST_MS);

/**
 * The `awake` time from which a tick may begin. News cuts a long rest to the first one: one step of a tick fails, and the others still have agents
 * to end and people to hear. A tick that failed and had woken the loop itself was tried again at once, 50 times in the time of one.
 */
export function restsUntil({ count, at, woken }: FailedTicks): number {
  if (count === 0) return 0;
  return at + restMs(woken ? 1 : count);
}
