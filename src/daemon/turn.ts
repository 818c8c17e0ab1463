import type { Farm } from './farm.ts';

const AGAIN_MS = 2000;

/** One tick at a time; a wake during one makes it run once more. */
export function startLoop(farm: Farm, once: () => Promise<void>) {
  let wanted = false;
  let stopped = false;
  let running: Promise<void> | undefined;
  const turn = async () => {
    while (wanted && !stopped) {
      wanted = false;
      await once().then(
        () => {
          farm.troubles.delete('tick');
        },
        (error: unknown) => {
          // A full disk, a broken store: nothing was half done. It is said, and tried again.
          farm.troubles.set('tick', (error as Error).message);
          farm.log.error({ error: (error as Error).stack }, 'a tick failed');
          setTimeout(wake, AGAIN_MS).unref();
        },
      );
    }
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
    async looked() {
      // The tick under way may have read before the change; the next one has not.
      if (running) await running;
      wake();
      await running;
    },
    async stop() {
      stopped = true;
      await running;
    },
  };
}
