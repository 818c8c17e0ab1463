import { setTimeout as pause } from 'node:timers/promises';
import { limiter } from '../platform/limit.ts';
import type { Farm } from './farm/farm.ts';
import type { Feed } from './farm/feed.ts';
import type { AgentRows } from './farm/snapshot.ts';
import { followConversations } from './leader/conversations.ts';

/** After a look the post rests for so many times as long as the look took: it never takes more than a part of the time that calls need. */
const REST = 4;
const LONGEST_REST_MS = 500;

/** Follows messages beside the loop: questions and jobs that end, deliveries, and the events that tell of them. */
export interface Post {
  /** Somebody has said or read something. Cheap; many at once are one look. */
  wake(): void;
  /** Looks now. A tick looks with the rows that it has just read. */
  look(rows?: AgentRows): Promise<void>;
  /** No further look; resolves when the one under way has ended. */
  stop(): Promise<void>;
}

interface Parts {
  readonly feed: Pick<Feed, 'pump'>;
  /** Carries messages to agents. */
  deliver(rows?: AgentRows): Promise<void>;
  /** Carries those to other farms. */
  carry(): Promise<void>;
  /** After each look. */
  looked(): void;
}

export function startPost(farm: Farm, { feed, deliver, carry, looked }: Parts): Post {
  // A tick and a word may want it at the same time: two looks at one delivery would count a search twice.
  const one = limiter(1);
  let wanted = false;
  const ending = new AbortController();
  let running: Promise<void> | undefined;

  const look = (rows?: AgentRows) =>
    one(async () => {
      const troubles: unknown[] = [];
      for (const part of [() => followConversations(farm), () => deliver(rows), carry, () => feed.pump()])
        await part().catch((error: unknown) => troubles.push(error));
      looked();
      if (troubles.length > 0) throw troubles[0];
    });
  const turn = async () => {
    while (wanted && !ending.signal.aborted) {
      wanted = false;
      const began = performance.now();
      await look().catch((error: Error) => {
        farm.log.warn({ error: error.message }, 'a look at messages failed');
        // The loop looks, too, and tells of what fails.
        farm.wake();
      });
      const rest = Math.min(LONGEST_REST_MS, (performance.now() - began) * REST);
      await pause(rest, undefined, { signal: ending.signal }).catch(() => {});
    }
  };
  const wake = () => {
    wanted = true;
    // What a store from elsewhere says is carried to nobody.
    if (ending.signal.aborted || farm.foreign) return;
    running ??= turn().finally(() => {
      running = undefined;
      if (wanted) wake();
    });
  };
  return {
    wake,
    look,
    async stop() {
      ending.abort();
      await running;
    },
  };
}
