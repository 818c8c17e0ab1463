import { hasLanded, isReady, type QueueFacts } from './facts.ts';
import { type CutChain, idsOf, isStarted, type Link, linkOnto, mergeOnto, stackUp } from './links.ts';
import { type Marks, markOf } from './marks.ts';
import { orderOf, ridesAlone } from './order.ts';
import { budgetsOf, type Experience, massOf, mostOf, riskOf } from './risk.ts';
import type { Chain, QueueEntry } from './snapshot.ts';

/** A segment that is not empty takes no entry that lifts it above its budget by more than this factor. */
const OVERFULL = 1.25;

/**
 * Keeps the leading segments whose checks run or have run, and those that held segments wait for (`waitedFor`): their trees are worth
 * keeping. `out`: entries that are held or in a group.
 */
export function keepStarted(facts: QueueFacts, before: readonly Chain[], out: ReadonlySet<number>, waitedFor: readonly Chain[]): CutChain {
  const stays = (id: number) => facts.live.get(id)?.awaitsYes === false && !out.has(id);
  const segments = before.map((ids) => ids.filter(stays)).filter((ids) => ids.length > 0);
  const links = stackUp(facts, segments.flat());
  const leads = (ids: Chain) => ids.every((id, at) => links[at]?.entry.id === id);
  const needed = Math.max(0, ...waitedFor.filter(leads).map((ids) => ids.length));
  const ends: number[] = [];
  let kept = 0;
  for (const segment of segments) {
    const end = (ends.at(-1) ?? 0) + segment.length;
    if (end > links.length) break;
    ends.push(end);
    if (isStarted(facts, links[end - 1]!) || (ends.at(-2) ?? 0) < needed) kept = ends.length;
  }
  return { links: links.slice(0, ends[kept - 1] ?? 0), ends: ends.slice(0, kept) };
}

/** Entries that may join the chain, best first. `out`: those that are held or in a group. */
export function poolOf(facts: QueueFacts, chain: CutChain, out: ReadonlySet<number>, marks: Marks, experience: Experience): Candidate[] {
  const stacked = new Set(idsOf(chain.links));
  const open = [...facts.live.values()].filter((entry) => !entry.awaitsYes);
  const pool = orderOf(open, experience, marks).filter((entry) => !out.has(entry.id) && !stacked.has(entry.id));
  return pool.map((entry) => {
    const mark = markOf(marks, entry.id);
    return { entry, alone: ridesAlone(mark), mass: massOf(riskOf(entry, experience, mark)) };
  });
}

/** An entry that may join the chain. */
interface Candidate {
  readonly entry: QueueEntry;
  readonly alone: boolean;
  readonly mass: number;
}

export interface Extended {
  readonly chain: CutChain;
  /** Entries that were left out, each with the entry that it does not merge with. */
  readonly clashing: ReadonlyMap<number, number | undefined>;
  /** The merge that must be known before the chain is complete. */
  readonly pending: Chain | undefined;
}

/** Cuts new segments behind the kept ones, as many as the chain has slots. */
export function extendChain(facts: QueueFacts, kept: CutChain, pool: readonly Candidate[], slots: number): Extended {
  const budgets = budgetsOf(slots, facts.slots);
  const clashing = new Map<number, number | undefined>();
  let { links } = kept;
  const ends = [...kept.ends];
  let waiting = pool;
  while (ends.length < slots) {
    const cut = cutSegment(facts, links, waiting, budgets[ends.length]!);
    for (const [id, other] of cut.clashing) clashing.set(id, other);
    if (cut.pending) return { chain: { links, ends }, clashing, pending: cut.pending };
    if (cut.segment.length === 0) break;
    links = [...links, ...cut.segment];
    ends.push(links.length);
    const done = new Set([...idsOf(cut.segment), ...clashing.keys()]);
    waiting = waiting.filter(({ entry }) => !done.has(entry.id));
  }
  return { chain: { links, ends }, clashing, pending: undefined };
}

interface Segment extends Omit<Extended, 'chain'> {
  readonly segment: readonly Link[];
}

/** Goes over the pool as long as that adds entries: one that joins may be needed by another. */
function cutSegment(facts: QueueFacts, below: readonly Link[], pool: readonly Candidate[], budget: number): Segment {
  const links = [...below];
  const clashing = new Map<number, number | undefined>();
  const joined = new Set<Candidate>();
  const tasks = new Set(links.map((link) => link.entry.task));
  const keys = new Set(links.map((link) => link.key));
  const lacksNothing = ({ after }: QueueEntry) => after.every((task) => tasks.has(task) || hasLanded(facts, task));
  const answer = (pending?: Chain): Segment => ({ segment: pending ? [] : links.slice(below.length), clashing, pending });
  let mass = 0;
  for (let before = -1; before < links.length; ) {
    before = links.length;
    for (const one of pool) {
      const count = links.length - below.length;
      if (count > 0 && (mass >= budget || count >= mostOf(facts.snapshot.batch, facts.slots))) return answer();
      if (joined.has(one) || clashing.has(one.entry.id) || !lacksNothing(one.entry)) continue;
      if (count > 0 && (one.alone || mass + one.mass > OVERFULL * budget)) continue;
      const join = joinTo(facts, links, keys, one.entry);
      if ('merge' in join) return answer(join.merge);
      if ('clashesWith' in join) {
        clashing.set(one.entry.id, join.clashesWith);
        continue;
      }
      links.push(join.link);
      if (one.alone) return answer();
      keys.add(join.link.key);
      joined.add(one);
      tasks.add(one.entry.task);
      mass += one.mass;
    }
  }
  return answer();
}

type Join = { readonly link: Link } | { readonly merge: Chain } | { readonly clashesWith: number | undefined };

/** Stacks an entry. One that is known not to merge with part of the chain waits until that part has landed or gone. */
function joinTo(facts: QueueFacts, links: readonly Link[], keys: ReadonlySet<string>, entry: QueueEntry): Join {
  const known = facts.clashes.get(entry.id)?.find((key) => keys.has(key));
  if (known !== undefined) return { clashesWith: culprit(facts, links, known, entry) };
  if (isReady(facts, entry) && !facts.snapshot.stacked.has(`${entry.id}`)) return { merge: mergeOnto([], entry) };
  const link = linkOnto(facts, links.at(-1), entry);
  if (link === 'unknown') return { merge: mergeOnto(links, entry) };
  return link === 'clash' ? { clashesWith: undefined } : { link };
}

/** The entry that it conflicts with: the top of the stack if it merges with the rest; else one that the report names. */
function culprit({ snapshot: { stacked } }: QueueFacts, links: readonly Link[], key: string, entry: QueueEntry): number | undefined {
  const at = links.findIndex((link) => link.key === key);
  const rest = at === 0 ? `${entry.id}` : `${links[at - 1]?.key},${entry.id}`;
  if (stacked.get(rest)?.kind === 'clean') return links[at]?.entry.id;
  const result = stacked.get(`${key},${entry.id}`);
  const named = new Set(result?.kind === 'conflict' ? result.report.files.flatMap((file) => file.oursTasks.map((one) => one.task)) : []);
  return links.findLast((link) => named.has(link.entry.task))?.entry.id;
}
