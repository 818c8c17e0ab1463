import { countReds } from './confirm.ts';
import { type Ends, endsOf } from './end-without-check.ts';
import { factsOf, type QueueFacts } from './facts.ts';
import { stopFor } from './halt.ts';
import { idsOf } from './links.ts';
import type { Marks } from './marks.ts';
import { notesOf } from './notes.ts';
import { countGreen, type Places, placeEntries } from './places.ts';
import type { QueuePlan } from './plan-types.ts';
import { chainWants, type Search, searchGroups } from './search.ts';
import { fitIntoSlots, type Work } from './slots.ts';
import { type Chain, chainKey, type QueueSnapshot } from './snapshot.ts';
import { movesOf, statesIn } from './states.ts';

export type { QueuePlan, WantedCheck } from './plan-types.ts';

const NOTHING = { stack: [], checks: [], cancel: [], land: undefined, handback: [], refuse: [], reject: [], contained: [], states: [] };

/**
 * Decides what to do next, from the snapshot alone: same snapshot, same plan. It stacks entries on the head and cuts them into segments; a
 * slot checks each prefix of segments; the longest green prefix lands. A segment that turns a prefix red is taken out and searched for the
 * culprit, while the rest goes on.
 */
export function planQueue(snapshot: QueueSnapshot): QueuePlan {
  if (snapshot.paused) return { ...NOTHING, halted: undefined, notes: snapshot.notes };
  const facts = factsOf(snapshot);
  const stop = stopFor(facts);
  if (stop) return { ...NOTHING, checks: [...stop.checks], halted: stop.halted, notes: { ...snapshot.notes, doubt: stop.doubt } };
  const { ends, places, marks, land, searches, reject, merges, work } = decide(facts);
  const { handback, refuse, contained } = ends;
  const states = statesIn(facts, places, marks, work.checks);
  return {
    stack: land ? [] : merges,
    ...work,
    land,
    handback,
    refuse,
    reject,
    contained,
    states: movesOf(facts, states, places, land, land !== undefined || merges.length > 0),
    notes: notesOf(facts, places, marks, searches, work.checks),
  };
}

/** Everything that follows from the facts while the head is not in doubt. */
export interface Decision {
  readonly ends: Ends;
  readonly places: Places;
  readonly marks: Marks;
  readonly land: QueuePlan['land'];
  readonly searches: readonly Search[];
  readonly reject: QueuePlan['reject'];
  readonly merges: Chain[];
  readonly work: Work;
}

export function decide(facts: QueueFacts): Decision {
  const ends = endsOf(facts);
  const places = placeEntries(facts);
  const { chain, groups, pending } = places;
  const marks = countReds(facts, groups, places.marks);
  const land = landingOf(facts, places);
  const wants = chainWants(facts, chain);
  // While merges are awaited the chain counts as complete, so that its slots are not given away for a moment.
  const segments = pending ? facts.slots : chain.ends.length;
  const searches = searchGroups(facts, groups, marks, { segments, others: wants.length > 0 || pending !== undefined });
  const reject = rejectionsOf(facts, searches);
  const merges = distinct([...ends.merges, ...places.merges, ...searches.flatMap((search) => search.merges)]);
  const state = { landing: land !== undefined, merging: merges.length > 0, stacking: pending !== undefined };
  const work = fitIntoSlots(facts, { chain: wants, searches, ...state });
  return { ends, places, marks, land, searches, reject, merges, work };
}

function landingOf(facts: QueueFacts, places: Places): QueuePlan['land'] {
  const links = places.chain.links.slice(0, countGreen(facts, places));
  const top = links.at(-1);
  return top && { entries: idsOf(links), tree: top.tree, head: facts.snapshot.head, unchecked: top.checks.length === 0 };
}

function rejectionsOf({ snapshot, runs }: QueueFacts, searches: readonly Search[]): QueuePlan['reject'] {
  return searches.flatMap(({ group, next }) => {
    if (next?.do !== 'reject') return [];
    const { tree } = runs.byId.get(next.runs.at(-1)!)!;
    return [{ entry: group.ids[0]!, check: next.check.id, tree, head: snapshot.head, runs: next.runs }];
  });
}

const distinct = (chains: readonly Chain[]): Chain[] => [...new Map(chains.map((chain) => [chainKey(chain), chain])).values()];
