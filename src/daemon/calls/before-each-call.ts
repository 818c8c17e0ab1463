import { RESTARTS } from '../../api/client.ts';
import type { CallName } from '../../api/contract.ts';
import type { Handlers } from '../../api/server.ts';
import { CUT_MS } from '../../config/in-force.ts';
import { FurrowError } from '../../platform/error.ts';
import type { Farm } from '../farm/farm.ts';

/** These calls neither use the configuration nor show it, and some of them must not wait for anything. */
const UNCONFIGURED: ReadonlySet<string> = new Set<CallName>([
  'ping',
  'log',
  'watch',
  'needsYou',
  'screen',
  'typeInto',
  'stop',
  'settled',
  'entryEnded',
  'done',
  'blocked',
  'progress',
]);
/** Longer than furrow waits for a file that looks cut short. */
const PATIENCE_MS = CUT_MS + 1000;

/**
 * Puts two questions in front of every call. A command given right after furrow.yaml was saved waits until the new file is in
 * force. A command that reaches a daemon which has just lost its store is left to the next one: this one ends within a second and
 * would take the order with it.
 */
export function admit(farm: Pick<Farm, 'inputs' | 'log'>, handlers: Handlers, lost: () => string | undefined): Handlers {
  const calls = Object.entries(handlers as Record<string, (...args: unknown[]) => Promise<unknown>>).map(([name, handle]) => [
    name,
    UNCONFIGURED.has(name)
      ? handle
      : async (...args: unknown[]) => {
          const why = lost();
          if (why) throw new FurrowError(RESTARTS, `${why}, and this daemon ends`, { hint: 'the same command again' });
          await farm.inputs
            .settled(PATIENCE_MS)
            .catch((error: Error) => farm.log.warn({ error: error.message }, 'furrow.yaml could not be read'));
          return handle(...args);
        },
  ]);
  return Object.fromEntries(calls) as Handlers;
}
