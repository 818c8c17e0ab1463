import type { Feed } from '../farm/feed.ts';

/** Waits until something is true, asking again at every event. Listens before it asks, so no event falls in between. */
export async function until(feed: Feed, signal: AbortSignal | undefined, isSo: () => Promise<boolean>): Promise<void> {
  let changed = true;
  let ring = () => {};
  const hear = () => {
    changed = true;
    ring();
  };
  const off = feed.on(hear);
  signal?.addEventListener('abort', hear, { once: true });
  try {
    for (;;) {
      while (changed) {
        changed = false;
        if (signal?.aborted || (await isSo())) return;
      }
      await new Promise<void>((again) => {
        ring = again;
        if (changed) again();
      });
    }
  } finally {
    off();
    signal?.removeEventListener('abort', hear);
  }
}
