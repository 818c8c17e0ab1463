import { type Extended, extendChain, keepStarted, poolOf } from './chain.ts';
import { checkForYes, type GreenForYes } from './check-for-approval.ts';
import type { QueueFacts } from './facts.ts';
import { greenFromNotes, judgedBy } from './green-lacks-approval.ts';
import { countActive } from './groups.ts';
import { followHeld, restOf, type TakenOut, takeOutRed } from './hold.ts';
import { verdictAt } from './links.ts';
import { type Marks, markOf, marksFromNotes } from './marks.ts';
import { type Narrowed, narrowGroups, type Released } from './quarantine.ts';
import { chainSlots, experienceOf } from './risk.ts';
import type { Chain, Group, Held } from './snapshot.ts';

/** The places of entries between two rounds, at first from the notes of the last plan. */
interface Standing {
  readonly segments: readonly Chain[];
  readonly held: readonly Held[];
  readonly groups: readonly Group[];
  readonly marks: Marks;
  readonly green: GreenForYes;
  readonly released: Released;
}

/** The place of every live entry: in the chain, held, in a group, green and waiting for a yes, or (all others) in the pool. */
export interface Places extends Omit<Standing, 'segments'>, Extended {
  /** Merges that must be known first. */
  readonly merges: readonly Chain[];
}

/** Repeats quarantine, yes, chain and hold until nothing red is left in the chain, or its front is green. */
export function placeEntries(facts: QueueFacts): Places {
  let now: Standing = {
    ...facts.snapshot.notes,
    marks: marksFromNotes(facts),
    green: greenFromNotes(facts.snapshot, facts.open),
    released: new Map(),
  };
  // It ends: each round takes something out of the chain or clears something, and an entry cleared twice is checked alone.
  for (let left = 2 * facts.open.size + 1; ; left--) {
    const { places, next } = goRound(facts, now);
    if (!next || left <= 1) return places;
    now = next;
  }
}

function goRound(facts: QueueFacts, before: Standing): { places: Places; next?: Standing } {
  const narrowed = narrowGroups(facts, before.groups);
  const marks = marksAfter(before.marks, narrowed);
  const shown = greenAfter(facts, before.green, narrowed);
  const { groups, green, merges } = checkForYes(facts, { groups: narrowed.groups, held: before.held, marks, green: shown });
  const waitedFor = before.held.map((held) => restOf(facts, held) ?? []);
  const kept = keepStarted(facts, before.segments, outside(before.held, groups), waitedFor);
  const { held, blamed, released: freed } = followHeld(facts, before.held, kept);
  const released = new Map([...before.released, ...narrowed.released, ...clearedText(narrowed), ...freed]);
  const standing: Standing = { segments: before.segments, held, groups: [...groups, ...blamed], marks, green, released };
  if (blamed.length > 0) return { places: { ...standing, chain: kept, clashing: new Map(), pending: undefined, merges }, next: standing };
  const pool = poolOf(facts, kept, outside(held, groups), marks, experienceOf(facts, groups));
  const extended = extendChain(facts, kept, pool, chainSlots(facts.slots, countActive(facts, groups)));
  const places = { ...standing, ...extended, merges: extended.pending ? [...merges, extended.pending] : merges };
  const red = countGreen(facts, places) > 0 ? undefined : takeOutRed(facts, extended.chain);
  return red ? { places, next: without(standing, red) } : { places };
}

/** Entries that are held or in a group. */
export const outside = (held: readonly Held[], groups: readonly Group[]) => new Set([...held, ...groups].flatMap((one) => one.ids));

/** The number of entries at the front of the chain that are green together. Verdicts belong to trees, so it need not be whole segments. */
export const countGreen = (facts: QueueFacts, { chain }: Pick<Places, 'chain'>): number =>
  chain.links.findLastIndex((link) => verdictAt(facts, link).is === 'green') + 1;

function without(standing: Standing, { segments, ids, blamed, held }: TakenOut): Standing {
  const released = new Map([...standing.released].filter(([id]) => !ids.includes(id)));
  return { ...standing, segments, groups: [...standing.groups, ...blamed], held: [...standing.held, ...held], released };
}

/** Drops the red runs of entries that are green now, and counts how often each was cleared. */
function marksAfter(marks: Marks, { cleared, forYes }: Narrowed): Marks {
  const after = new Map(marks);
  for (const id of cleared) after.set(id, { cleared: markOf(after, id).cleared + 1, reds: [] });
  for (const id of forYes) after.set(id, { cleared: markOf(after, id).cleared, reds: [] });
  return after;
}

/** Adds entries that need a person's yes and were green: now they are shown to the person. */
function greenAfter({ snapshot, open }: QueueFacts, green: GreenForYes, { forYes }: Narrowed): GreenForYes {
  const waiting = forYes.map((id) => open.get(id)!).filter((entry) => entry.awaitsYes);
  return new Map([...green, ...waiting.map((entry) => [entry.id, judgedBy(snapshot, entry)] as const)]);
}

const clearedText = ({ cleared }: Narrowed): Released =>
  new Map(cleared.map((id) => [id, 'cleared: it passes on the head without the rest of its group']));
