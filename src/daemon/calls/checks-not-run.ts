import { eventsAt } from '../../journal/event.ts';
import type { Db } from '../../journal/store.ts';
import type { Landing } from '../../queue/landing/store.ts';

/** By the commit of each landing: the checks that were not run for it, because nothing in their paths had changed. */
export async function notRunFor(db: Db, landings: readonly Pick<Landing, 'at'>[]): Promise<Map<string, readonly string[]>> {
  if (landings.length === 0) return new Map();
  // A landing and what is told of it are one transaction, of one time.
  const times = landings.map(({ at }) => at);
  const events = await eventsAt(db, 'landing.landed', times);
  return new Map(
    events.map(({ data }) => {
      const { commit, unchanged = [] } = JSON.parse(data) as { commit: string; unchanged?: readonly string[] };
      return [commit, unchanged];
    }),
  );
}
