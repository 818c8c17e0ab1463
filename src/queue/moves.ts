import type { EntryState } from '../journal/schema.ts';
import type { Decision } from './decide.ts';
import { asksForYes } from './green.ts';
import { idsOf, isBusy } from './line.ts';
import { type Look, lives, markOf } from './look.ts';
import { ridesAlone } from './order.ts';
import type { QueuePlan } from './plan.ts';
import type { Work } from './slots.ts';
import type { Group, QueueEntry } from './snapshot.ts';
import { isSuspect } from './yes.ts';

/** Moves inside the queue. Ends are not repeated here, but a rejection is only reachable out of quarantine. */
export function statesOf(decision: Decision, work: Work): QueuePlan['states'] {
  const { look, land } = decision;
  const places = placesOf(decision, work);
  // While merges are awaited, or the head is about to move, nobody is sent back for a moment.
  const moving = land !== undefined || look.asks.size > 0;
  const landing = new Set(land?.entries);
  return [...look.open.values()].flatMap((entry) => {
    if (!lives(look, entry.id) || landing.has(entry.id)) return [];
    const place = places.get(entry.id) ?? { state: 'queued', reason: look.back.get(entry.id) ?? 'not its turn' };
    const waits = place.state === 'queued' && moving && !look.back.has(entry.id);
    return place.state === entry.state || waits ? [] : [{ entry: entry.id, ...place }];
  });
}

interface Place {
  readonly state: EntryState;
  readonly reason: string;
}

function placesOf({ look }: Decision, work: Work): Map<number, Place> {
  const places = new Map<number, Place>();
  const begun = new Set(work.checks.map((check) => check.tree));
  for (const [at, end] of look.line.ends.entries()) {
    const links = look.line.links.slice(look.line.ends[at - 1] ?? 0, end);
    const top = links.at(-1)!;
    if (begun.has(top.tree) || isBusy(look, top))
      for (const id of idsOf(links))
        places.set(id, {
          state: 'checking',
          reason: riding(
            look,
            links.map((link) => link.entry),
            at,
          ),
        });
  }
  for (const held of look.held) for (const id of held.ids) places.set(id, { state: 'held', reason: HELD });
  for (const group of look.groups) {
    if (isSuspect(look, group)) for (const id of group.ids) places.set(id, { state: 'quarantined', reason: suspicion(look, group) });
    else if (isChecked(look, work, group.ids[0]!)) places.set(group.ids[0]!, { state: 'checking', reason: BEFORE_YES });
  }
  for (const id of look.green.keys()) places.set(id, { state: 'held', reason: asksForYes(look.snapshot, look.open.get(id)!) });
  return places;
}

/** A check of it alone on the head runs, or begins now. */
export function isChecked(look: Look, work: Work, id: number): boolean {
  const result = look.snapshot.stacked.get(`${id}`);
  const runs = (tree: string) => look.busyTrees.has(tree) || work.checks.some((check) => check.tree === tree);
  const probes = look.groups.find((group) => group.ids.includes(id))?.probes ?? [];
  return (result?.kind === 'clean' && runs(result.tree)) || probes.some((probe) => look.busyTrees.has(probe.tree));
}

export const BEFORE_YES = 'checked alone on the head; when it is green it waits for your yes';

export const HELD = 'held: the stack is red with it while the part before is still being checked';

/** In which segment of the chain, and with whom. */
export function riding(look: Look, segment: readonly QueueEntry[], at: number): string {
  const others = segment.length - 1;
  const company =
    others === 0
      ? ridesAlone(markOf(look, segment[0]!.id))
        ? 'alone, cleared twice,'
        : 'alone'
      : `with ${count(others, 'other', 'others')}`;
  return `checked ${company} as the ${ordinal(at + 1)} of ${count(look.line.ends.length, 'segment', 'segments')}`;
}

export function suspicion(look: Look, group: Group): string {
  if (group.ids.length > 1) return `one of ${group.ids.length} of which at least one is red`;
  const reds = markOf(look, group.ids[0]!).reds.length;
  const { retries } = look.snapshot;
  if (reds === 0) return 'suspected: checked alone on the head';
  return reds > retries ? 'red alone on the head' : `red alone on the head, run again (${reds} of ${retries})`;
}

export const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

function ordinal(n: number): string {
  const tail = n % 100 > 10 && n % 100 < 14 ? 'th' : (['th', 'st', 'nd', 'rd'][n % 10] ?? 'th');
  return `${n}${tail}`;
}
