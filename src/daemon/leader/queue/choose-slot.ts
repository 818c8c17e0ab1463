import type { CheckSpec } from '../../../queue/snapshot.ts';
import { runningKey } from '../../acts/check-run/arguments.ts';
import type { ReadyHost } from '../../farm/joined-hosts.ts';
import type { QueueMemory } from './memory.ts';

/** A slot, and the machine that it is on if that joined the farm. */
export interface ChosenSlot {
  readonly slot: string;
  readonly host?: string;
}

/** The slots of all machines that joined. */
export const slotsElsewhere = ({ hosts }: Pick<QueueMemory, 'hosts'>): number => hosts.ready().reduce((sum, { checks }) => sum + checks, 0);

/**
 * Chooses the slot of a check, on the machine with the least of its slots taken; this one when others have no more room. `here`: the slots of
 * this machine. When none is free, the check waits here behind one that was told to end.
 */
export function chooseSlot(
  memory: QueueMemory,
  here: number,
  wanted: { tree: string; check: CheckSpec; asked?: true | undefined },
): ChosenSlot {
  const taken = (slot: string) => [...memory.running.values()].filter((run) => run.slot === slot);
  const own = Array.from({ length: here }, (_, n) => ({ slot: String(n + 1) }));
  const machines: readonly (readonly ChosenSlot[])[] = [own, ...hostsFor(memory, wanted).map(slotsOf)];
  const free = machines.flatMap((slots, order) => {
    const open = slots.filter(({ slot }) => taken(slot).length === 0);
    return open.length === 0 ? [] : [{ first: open[0]!, load: 1 - open.length / slots.length, order }];
  });
  const least = free.toSorted((a, b) => a.load - b.load || a.order - b.order)[0];
  if (least) return least.first;
  return own.find(({ slot }) => taken(slot).every((run) => run.abort.signal.aborted)) ?? { slot: '1' };
}

const slotsOf = ({ name, checks }: ReadyHost): ChosenSlot[] =>
  Array.from({ length: checks }, (_, n) => ({ slot: `${name}/${n + 1}`, host: name }));

/** The machines that may run a check. What needs something of furrow.yaml's `resources`, or what a person waits for, is about this machine. */
function hostsFor(
  memory: QueueMemory,
  { tree, check, asked }: { tree: string; check: CheckSpec; asked?: true | undefined },
): readonly ReadyHost[] {
  if (asked || check.needs !== undefined || memory.doubted.has(runningKey({ tree, check: check.id }))) return [];
  return memory.hosts.ready().filter((host) => host.class === undefined || !memory.unlike.has(unlikeKey(host.class, check.id)));
}

/** Names a check that a class of machines answers otherwise than this one. */
export const unlikeKey = (of: string, check: string): string => `${check} ${of}`;
