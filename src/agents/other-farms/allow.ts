import { FurrowError } from '../../platform/error.ts';
import type { ProcessId } from '../../platform/process/identity.ts';
import { farmNamed, type RunningFarm } from './registry.ts';

/** The circle of one farm, as it is configured. */
interface Circle {
  readonly send: readonly string[];
  readonly accept: readonly string[];
}

/** The farm that a message may be sent to, or the reason why not. */
export function receiverOf(farms: readonly RunningFarm[], circle: Circle, name: string): RunningFarm {
  if (!circle.send.includes(name))
    throw new FurrowError('NOT_IN_CIRCLE', `agents of this farm may not write to those of ${name}`, {
      hint: `send: [${name}] below circle: in furrow.yaml, and accept: in that of ${name}`,
    });
  return farmNamed(farms, name);
}

/** A question crosses only between farms that write to each other: else its answer could not come back. */
export function refuseOneWay({ send, accept }: Circle, name: string): void {
  if (send.includes(name) && accept.includes(name)) return;
  throw new FurrowError(
    'NOT_IN_CIRCLE',
    `a question needs an answer, and this farm ${send.includes(name) ? 'takes none from' : 'sends none to'} ${name}`,
    {
      hint: `send: [${name}] and accept: [${name}] below circle: in furrow.yaml, and the same in that of ${name}; one way only: furrow notify`,
    },
  );
}

/**
 * The farm that a message comes from, by the process that brings it: only the daemon of a farm speaks for it, and under no other name
 * than the one that it runs by.
 */
export function senderOf(farms: readonly RunningFarm[], circle: Circle, process: ProcessId | undefined): RunningFarm {
  const from = process && farms.find(({ daemon }) => daemon.pid === process.pid && daemon.start === process.start);
  if (!from)
    throw new FurrowError('NOT_A_FARM', 'the calling process is not the daemon of a farm on this machine', {
      hint: 'furrow notify AGENT TEXT',
    });
  if (!circle.accept.includes(from.name))
    throw new FurrowError('NOT_IN_CIRCLE', `this farm does not take messages from ${from.name}`, {
      hint: `accept: [${from.name}] below circle: in its furrow.yaml`,
    });
  return farmNamed(farms, from.name);
}
