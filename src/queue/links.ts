import { hasLanded, isReady, type QueueFacts, runKey } from './facts.ts';
import type { Chain, CheckSpec, QueueEntry } from './snapshot.ts';
import { aboutOf, trailOf, type Verdict, verdictOf } from './verdict.ts';

/** One entry in a stack, merged onto all before it. */
export interface Link {
  readonly entry: QueueEntry;
  readonly key: string;
  readonly tree: string;
  /** All that must pass on its tree: the project's checks, then those of every task up to here. */
  readonly checks: readonly CheckSpec[];
}

/** The chain, cut into segments: `ends` says after how many links each segment ends. */
export interface CutChain {
  readonly links: readonly Link[];
  readonly ends: readonly number[];
}

export const idsOf = (links: readonly Link[]): Chain => links.map((link) => link.entry.id);

export const segmentsOf = ({ links, ends }: CutChain): Chain[] => ends.map((end, at) => idsOf(links.slice(ends[at - 1] ?? 0, end)));

export const verdictAt = (facts: QueueFacts, link: Link): Verdict => verdictOf(facts.runs, link.tree, link.checks);

/** True while a check of exactly this tree, or of the content that it looks at, runs. */
export const isBusy = (facts: QueueFacts, link: Link): boolean =>
  facts.busyTrees.has(link.tree) || link.checks.some((check) => facts.busy.has(runKey(facts.runs, link.tree, check.id)));

/** True if a check of something new in this tree runs or has run; content that it shares with the head does not count. */
export function isStarted(facts: QueueFacts, link: Link): boolean {
  const { runs, snapshot } = facts;
  const isNew = (check: CheckSpec) => aboutOf(runs, link.tree, check.id) !== aboutOf(runs, snapshot.headTree, check.id);
  return facts.busyTrees.has(link.tree) || link.checks.some((check) => isNew(check) && trailOf(runs, link.tree, check.id) !== undefined);
}

/** True if everything that the entry needs has landed or is in the stack. */
export const isAdmissible = (facts: QueueFacts, links: readonly Link[], entry: QueueEntry) =>
  isReady(facts, entry) || entry.after.every((task) => hasLanded(facts, task) || links.some((link) => link.entry.task === task));

/** The link of an entry on top of a stack. `unknown`: the merge is not computed yet; `clash`: it does not merge. */
export function linkOnto(facts: QueueFacts, top: Link | undefined, entry: QueueEntry): Link | 'unknown' | 'clash' {
  const key = top ? `${top.key},${entry.id}` : `${entry.id}`;
  const result = facts.snapshot.stacked.get(key);
  if (!result) return 'unknown';
  if (result.kind !== 'clean') return 'clash';
  return { entry, key, tree: result.tree, checks: checksOf(facts, top, entry) };
}

/** The merge of an entry onto a stack, to be asked for. */
export const mergeOnto = (links: readonly Link[], entry: QueueEntry): Chain => [...idsOf(links), entry.id];

/** The front part of a chain that is known to stack on this head, with everything that its entries need. */
export function stackUp(facts: QueueFacts, ids: Chain): Link[] {
  const links: Link[] = [];
  for (const id of ids) {
    const entry = facts.live.get(id);
    if (!entry || !isAdmissible(facts, links, entry)) break;
    const link = linkOnto(facts, links.at(-1), entry);
    if (typeof link === 'string') break;
    links.push(link);
  }
  return links;
}

function checksOf(facts: QueueFacts, below: Link | undefined, entry: QueueEntry): readonly CheckSpec[] {
  const before = below?.checks ?? facts.snapshot.checks;
  const own = entry.own.filter((check) => !before.some((one) => one.id === check.id));
  return own.length > 0 ? [...before, ...own] : before;
}
