import { setTimeout as sleep } from 'node:timers/promises';
import type { Farm } from '../farm/farm.ts';
import { type AnyAct, carryOut, type Intent, intend, isOpen, openIntents } from '../journal/act.ts';
import { FurrowError } from '../platform/error.ts';
import { type AttemptOf, describeAct } from './doing.ts';

/**
 * Carries acts out in the background, one of a key at a time. The loop decides again at every wake; what is still
 * being done is not begun a second time, and what has just failed is let rest: 1, 2, 4 … 60 s.
 */
export interface Performer {
  /** It is being done, or rests after a failure. */
  busy(key: string): boolean;
  /** It is being done. */
  flying(key: string): boolean;
  /** It has failed again and again: nothing that can do without it should wait for it. */
  failing(key: string, times?: number): boolean;
  start(kind: string, key: string, args: unknown): Promise<void>;
  /** Goes on with what a killed daemon had begun; those of the first kinds are over when it resolves. */
  recover(first: readonly string[]): Promise<void>;
  /** After a whole tick that began at this `awake` time: what could have been tried again and was not is forgotten. */
  review(since: number): Promise<void>;
  /** Resolves when nothing is being done. */
  quiet(): Promise<void>;
}

const NO_FAILURE = new Set(['STALE', 'CUT_SHORT']);

export function performer(farm: Farm, acts: readonly AnyAct[]): Performer {
  const byKind = new Map(acts.map((act) => [act.kind, act]));
  const flying = new Map<string, Promise<void>>();
  const ending = new AbortController();

  const actNamed = (kind: string): AnyAct => {
    const act = byKind.get(kind);
    if (!act) throw new Error(`no act is named ${kind}`);
    return act;
  };

  const attemptOf: AttemptOf = (id) => farm.db.selectFrom('attempt').select(['agent', 'task']).where('id', '=', id).executeTakeFirst();

  const rest = async (kind: string, key: string, args: unknown, error: Error): Promise<number> => {
    const doing = await describeAct(kind, key, args, attemptOf).catch(() => ({ key, what: kind, next: 'furrow doctor' }));
    const { ms } = await farm.failing.failed(doing, error);
    setTimeout(farm.wake, ms + 1).unref();
    return ms;
  };

  const fly = async (key: string, kind: string, begin: () => Promise<Intent>, again: boolean, args: unknown): Promise<void> => {
    let intent: Intent | undefined;
    for (let asked = again; ; asked = true) {
      try {
        intent ??= await begin();
        await carryOut(farm.db, actNamed(kind), intent, asked, farm.clock.now);
        // What could be stored now proves that there is room again.
        farm.troubles.clear();
        return await farm.failing.worked(key);
      } catch (thrown) {
        const error = thrown as Error;
        const known = error instanceof FurrowError;
        // Decided on rows that were old by then, or cut short by a crash: nothing failed, so nothing rests.
        if (known && NO_FAILURE.has(error.code)) return;
        farm.log.warn({ act: kind, key, error: error.message, ...(!known && { stack: error.stack }) }, 'an act failed');
        if (/ENOSPC|no space left|disk is full/i.test(error.message)) farm.troubles.set(key, error.message);
        const ms = await rest(kind, key, args, error);
        // Not even its end could be stored, on a full disk: nobody else goes on with it, so this does.
        if (!intent || ending.signal.aborted || !(await isOpen(farm.db, intent).catch(() => true))) return;
        await sleep(ms, undefined, { signal: ending.signal, ref: false }).catch(() => {});
      }
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
    flying: (key) => flying.has(key),
    busy: (key) => flying.has(key) || farm.failing.rests(key),
    failing: farm.failing.isFailing,
    review: (since) => farm.failing.review(since, (key) => flying.has(key)),
    start(kind, key, args) {
      const known = flying.get(key);
      if (known) return known;
      if (this.busy(key)) return Promise.resolve();
      return track(
        key,
        fly(key, kind, () => intend(farm.db, actNamed(kind), key, args, farm.clock.now()), false, args),
      );
    },
    async recover(first) {
      const open = (await openIntents(farm.db)).map((intent) => ({
        kind: intent.kind,
        flight: track(
          intent.key,
          fly(intent.key, intent.kind, async () => intent, true, intent.args),
        ),
      }));
      await Promise.all(open.filter(({ kind }) => first.includes(kind)).map(({ flight }) => flight));
    },
    async quiet() {
      ending.abort();
      while (flying.size > 0) await Promise.allSettled(flying.values());
    },
  };
}
