import type { CheckSpec } from '../../../queue/snapshot.ts';
import { runningKey } from '../../acts/check-run/arguments.ts';
import { hostLabels, resourcesOf } from '../../farm/check-specs.ts';
import type { ReadyHost } from '../../farm/joined-hosts.ts';
import type { QueueMemory } from './memory.ts';

/** A slot, and the machine that it is on if that joined the farm. */
export interface ChosenSlot {
  readonly slot: string;
  readonly host?: string;
}

/** The slots of all machines that joined. */
export const slotsElsewhere = ({ hosts }: Pick<QueueMemory, 'hosts'>): number => hosts.ready().reduce((sum, { checks }) => sum + checks, 0);

/** A check that gets a slot. */
interface Wanted {
  readonly tree: string;
  readonly check: CheckSpec;
  /** A person waits for it. */
  readonly asked?: true | undefined;
}

/**
 * Chooses the slot of a check, on the machine with the least of its slots taken; this one when others have no more room. `here`: the slots of
 * this machine. When none is free, the check waits here behind one that was told to end. `undefined`: it needs another machine, and
 * none has room.
 */
export function chooseSlot(memory: QueueMemory, here: number, wanted: Wanted): ChosenSlot | undefined {
  const taken = (slot: string) => [...memory.running.values()].filter((run) => run.slot === slot);
  const own = mayRunHere(wanted.check) ? Array.from({ length: here }, (_, n) => ({ slot: String(n + 1) })) : [];
  const machines: readonly (readonly ChosenSlot[])[] = [own, ...hostsFor(memory, wanted).map(slotsOf)];
  const free = machines.flatMap((slots, order) => {
    const open = slots.filter(({ slot }) => taken(slot).length === 0);
    return open.length === 0 ? [] : [{ first: open[0]!, load: 1 - open.length / slots.length, order }];
  });
  const least = free.toSorted((a, b) => a.load - b.load || a.order - b.order)[0];
  if (least) return least.first;
  return own.find(({ slot }) => taken(slot).every((run) => run.abort.signal.aborted)) ?? own[0];
}

/** The labels that every machine has without a word of its person. */
export const platformLabel = `${process.platform}-${process.arch}`;

const mayRunHere = (check: CheckSpec) => hostLabels(check).every((label) => label === platformLabel);

const slotsOf = ({ name, checks }: ReadyHost): ChosenSlot[] =>
  Array.from({ length: checks }, (_, n) => ({ slot: `${name}/${n + 1}`, host: name }));

/**
 * The machines that may run a check. One that needs a resource of furrow.yaml, or that a person waits for, is about this machine; so is a red of
 * another kind of machine that is asked again, unless this one may not run the check at all.
 */
function hostsFor(memory: QueueMemory, { tree, check, asked }: Wanted): readonly ReadyHost[] {
  const stays = asked || resourcesOf(check).length > 0 || memory.doubted.has(runningKey({ tree, check: check.id }));
  if (stays && mayRunHere(check)) return [];
  const labels = hostLabels(check);
  return memory.hosts
    .ready()
    .filter((host) => labels.every((label) => host.labels.includes(label)))
    .filter((host) => host.class === undefined || !memory.unlike.has(unlikeKey(host.class, check.id)));
}

/** The labels that a check waits for: no machine of the farm has them all now. */
export function missingLabels({ hosts }: Pick<QueueMemory, 'hosts'>, check: CheckSpec): readonly string[] {
  const labels = hostLabels(check);
  if (mayRunHere(check) || hosts.ready().some((host) => labels.every((label) => host.labels.includes(label)))) return [];
  return labels;
}

/** Names a check that a class of machines answers otherwise than this one. */
export const unlikeKey = (of: string, check: string): string => `${check} ${of}`;
