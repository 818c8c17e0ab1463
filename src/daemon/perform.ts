import { type AnyAct, carryOut, type Intent, intend, openIntents } from '../journal/act.ts';
import { FurrowError } from '../platform/error.ts';
import type { Farm } from './farm.ts';

/**
 * Carries acts out in the background, one of a key at a time. The loop decides again at every wake; what is still
 * being done is not begun a second time.
 */
export interface Performer {
  busy(key: string): boolean;
  start(kind: string, key: string, args: unknown): Promise<void>;
  /** Goes on with what a killed daemon had begun. Resolves when each has been taken up. */
  recover(): Promise<number>;
  /** Resolves when nothing is being done. */
  quiet(): Promise<void>;
}

export function performer(farm: Farm, acts: readonly AnyAct[]): Performer {
  const byKind = new Map(acts.map((act) => [act.kind, act]));
  const flying = new Map<string, Promise<void>>();

  const actNamed = (kind: string): AnyAct => {
    const act = byKind.get(kind);
    if (!act) throw new Error(`no act is named ${kind}`);
    return act;
  };

  const fly = (act: AnyAct, intent: Intent, again: boolean) =>
    carryOut(farm.db, act, intent, again, farm.clock.now).catch((error: unknown) => {
      farm.log.warn({ act: intent.kind, key: intent.key, error: (error as Error).message, ...(!(error instanceof FurrowError) && { stack: (error as Error).stack }) }, 'an act failed');
    });

  const track = (key: string, flight: Promise<void>): Promise<void> => {
    const tracked = flight.finally(() => {
      flying.delete(key);
      farm.wake();
    });
    flying.set(key, tracked);
    return tracked;
  };

  return {
    busy: (key) => flying.has(key),
    start(kind, key, args) {
      const known = flying.get(key);
      if (known) return known;
      const act = actNamed(kind);
      const flight = intend(farm.db, act, key, args, farm.clock.now()).then(
        (intent) => fly(act, intent, false),
        (error: unknown) => {
          if (!(error instanceof FurrowError)) throw error;
          farm.log.info({ act: kind, key, reason: error.message }, 'an act was refused');
        },
      );
      return track(key, flight);
    },
    async recover() {
      const open = await openIntents(farm.db);
      for (const intent of open) void track(intent.key, fly(actNamed(intent.kind), intent, true));
      return open.length;
    },
    async quiet() {
      while (flying.size > 0) await Promise.allSettled(flying.values());
    },
  };
}
