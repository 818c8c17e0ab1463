import { type AnyAct, carryOut, type Intent, intend, openIntents } from '../journal/act.ts';
import { FurrowError } from '../platform/error.ts';
import type { Farm } from './farm.ts';

/**
 * Carries acts out in the background, one of a key at a time. The loop decides again at every wake; what is still
 * being done is not begun a second time, and what has just failed is let rest: 1, 2, 4 … 60 s.
 */
export interface Performer {
  busy(key: string): boolean;
  start(kind: string, key: string, args: unknown): Promise<void>;
  /** Goes on with what a killed daemon had begun. */
  recover(): Promise<number>;
  /** Resolves when nothing is being done. */
  quiet(): Promise<void>;
}

const REST_MS = 1000;
const LONGEST_REST_MS = 60_000;

export function performer(farm: Farm, acts: readonly AnyAct[]): Performer {
  const byKind = new Map(acts.map((act) => [act.kind, act]));
  const flying = new Map<string, Promise<void>>();
  const failures = new Map<string, { count: number; until: number }>();

  const actNamed = (kind: string): AnyAct => {
    const act = byKind.get(kind);
    if (!act) throw new Error(`no act is named ${kind}`);
    return act;
  };

  const rest = (key: string) => {
    const count = (failures.get(key)?.count ?? 0) + 1;
    const ms = Math.min(LONGEST_REST_MS, REST_MS * 2 ** (count - 1));
    failures.set(key, { count, until: farm.clock.now() + ms });
    setTimeout(farm.wake, ms + 1).unref();
  };

  const fly = async (key: string, kind: string, begin: () => Promise<Intent>, again: boolean): Promise<void> => {
    try {
      await carryOut(farm.db, actNamed(kind), await begin(), again, farm.clock.now);
      failures.delete(key);
    } catch (thrown) {
      const error = thrown as Error;
      const known = error instanceof FurrowError;
      farm.log.warn({ act: kind, key, error: error.message, ...(!known && { stack: error.stack }) }, 'an act failed');
      rest(key);
    }
  };

  const track = (key: string, flight: Promise<void>): Promise<void> => {
    const tracked = flight.finally(() => {
      flying.delete(key);
      farm.wake();
    });
    flying.set(key, tracked);
    return tracked;
  };

  return {
    busy: (key) => flying.has(key) || (failures.get(key)?.until ?? 0) > farm.clock.now(),
    start(kind, key, args) {
      const known = flying.get(key);
      if (known) return known;
      if (this.busy(key)) return Promise.resolve();
      return track(
        key,
        fly(key, kind, () => intend(farm.db, actNamed(kind), key, args, farm.clock.now()), false),
      );
    },
    async recover() {
      const open = await openIntents(farm.db);
      for (const intent of open)
        void track(
          intent.key,
          fly(intent.key, intent.kind, async () => intent, true),
        );
      return open.length;
    },
    async quiet() {
      while (flying.size > 0) await Promise.allSettled(flying.values());
    },
  };
}
