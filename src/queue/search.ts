import { type Ask, confirm, type Next, type Suspect } from './confirm.ts';
import { type QueueFacts, runKey } from './facts.ts';
import { countActive, reach, reachable } from './groups.ts';
import { type CutChain, idsOf, isStarted, type Link, mergeOnto, stackUp, verdictAt } from './links.ts';
import { type Marks, markOf } from './marks.ts';
import type { WantedCheck } from './plan-types.ts';
import { experienceOf, massOf, riskOf } from './risk.ts';
import type { Chain, Group, QueueEntry, Trial } from './snapshot.ts';

/**
 * A check that the plan wants, and the oldest entry that it is for. Quarantine is in three files: `quarantine.ts` narrows a group by what
 * is known, this one picks the next checks, and `confirm.ts` convicts a single suspect.
 */
export interface Want extends WantedCheck {
  readonly oldest: QueueEntry;
  readonly broken: boolean;
  /** Only for a slot that has nothing else to do. */
  readonly spare?: boolean;
}

/** The search for the culprit of one group. */
export interface Search {
  readonly group: Group;
  readonly wants: readonly Want[];
  readonly merges: readonly Chain[];
  /** Running checks on earlier heads whose answers are still useful. */
  readonly stale: readonly Trial[];
  /** The next step, when the group has a single suspect. */
  readonly next: Next | undefined;
}

/** The checks that the chain wants: the next one of each undecided prefix. */
export const chainWants = (facts: QueueFacts, { links, ends }: CutChain): Want[] =>
  ends.flatMap((end) => nextCheck(facts, links.slice(0, end), 'chain'));

/** The checks that narrow each group down to its culprit. `segments`: slots that the chain takes; `others`: the chain wants checks too. */
export function searchGroups(
  facts: QueueFacts,
  groups: readonly Group[],
  marks: Marks,
  chain: { readonly segments: number; readonly others: boolean },
): Search[] {
  const each = probesEach(facts.slots, chain.segments, countActive(facts, groups));
  const experience = experienceOf(facts, groups);
  return groups.map((group) => {
    const links = stackUp(facts, group.ids);
    const trees = new Set(links.map((link) => link.tree));
    const isStale = ({ tree }: Trial) => facts.busyTrees.has(tree) && !trees.has(tree);
    const stale = group.trials.filter((trial) => isStale(trial) && reach(trial, group.ids) > 0);
    const nothing: Search = { group, stale, wants: [], merges: [], next: undefined };
    if (reachable(facts, group) === 0) return nothing;
    if (group.ids.length > 1) {
      const masses = group.ids.map((id) => massOf(riskOf(facts.open.get(id)!, experience, markOf(marks, id))));
      return { ...nothing, ...probesOf(facts, group, links, cutsAt(masses, each - stale.length)) };
    }
    const reds = markOf(marks, group.ids[0]!).reds;
    return links[0] ? { ...nothing, ...searchSingle(facts, { link: links[0], reds }, stale, chain.others) } : nothing;
  });
}

/** The number of parts of each group that are tried at the same time: the slots that the chain leaves, shared among the groups. */
function probesEach(slots: number, segments: number, groups: number): number {
  const reserved = Math.min(groups, Math.floor(slots / 4));
  const free = slots - Math.min(segments, slots - reserved);
  return Math.max(1, Math.floor(free / Math.max(1, groups)));
}

function probesOf(facts: QueueFacts, group: Group, links: readonly Link[], at: readonly number[]): Pick<Search, 'wants' | 'merges'> {
  const cuts = cutsOf(facts, group, links, at);
  const furthest = Math.max(0, ...cuts);
  return {
    merges: furthest > links.length ? [mergeOnto(links, facts.open.get(group.ids[links.length]!)!)] : [],
    wants: cuts.filter((cut) => cut <= links.length).flatMap((cut) => nextCheck(facts, links.slice(0, cut), 'trial')),
  };
}

/** The sizes of the parts to check: first those with a check under way, then those that tell the most. */
function cutsOf(facts: QueueFacts, group: Group, links: readonly Link[], best: readonly number[]): number[] {
  const most = Math.min(group.ids.length - 1, reachable(facts, group));
  const begun = links.flatMap((link, at) => (at < most && isStarted(facts, link) ? [at + 1] : []));
  const fresh = best.map((cut) => Math.min(most, Math.max(1, cut))).filter((cut) => !begun.includes(cut));
  return [...begun, ...new Set(fresh)].slice(0, Math.max(begun.length, best.length));
}

/** Cuts a red group so that its first culprit is equally likely in each part; halves by number would favour the front. */
export function cutsAt(masses: readonly number[], count: number): number[] {
  let sum = 0;
  const until = masses.map((mass) => {
    sum += mass;
    return 1 - Math.exp(-sum);
  });
  const whole = until.at(-1) ?? 0;
  return Array.from({ length: Math.max(0, count) }, (_, at) => {
    const share = (whole * (at + 1)) / (count + 1);
    const over = until.findIndex((one) => one >= share);
    return share - (until[over - 1] ?? 0) < until[over]! - share ? over : over + 1;
  });
}

function searchSingle(
  facts: QueueFacts,
  suspect: Suspect,
  stale: readonly Trial[],
  others: boolean,
): { next: Next; wants: readonly Want[] } {
  const next = confirm(facts, suspect, others);
  if (next.do === 'reject') return { next, wants: [] };
  const meanwhile = (next.meanwhile ?? []).map((ask) => ({ ...wantOf(facts, suspect.link, ask), spare: true }));
  const now = next.do === 'wait' ? [] : [wantOf(facts, suspect.link, next)];
  // One at a time: an answer still to come from an earlier head counts as much.
  return { next, wants: [...now, ...meanwhile].filter((want) => want.purpose === 'head' || stale.length === 0) };
}

const wantOf = (facts: QueueFacts, { entry, tree }: Link, ask: Ask): Want =>
  ask.do === 'head'
    ? headWant(facts, ask, entry)
    : { tree, chain: [entry.id], check: ask.check, purpose: 'confirm', oldest: entry, broken: ask.broken };

export const headWant = ({ snapshot }: QueueFacts, { check, broken }: Pick<Want, 'check' | 'broken'>, oldest: QueueEntry): Want => ({
  tree: snapshot.headTree,
  chain: [],
  check,
  purpose: 'head',
  oldest,
  broken,
});

/** The next check of a stack, if it is not decided yet. */
function nextCheck(facts: QueueFacts, links: readonly Link[], purpose: 'chain' | 'trial'): Want[] {
  const top = links.at(-1)!;
  const verdict = verdictAt(facts, top);
  if (verdict.is !== 'open') return [];
  const oldest = links.map((link) => link.entry).reduce((a, b) => ((b.at - a.at || b.id - a.id) < 0 ? b : a));
  const running = top.checks.find((check) => facts.busy.has(runKey(facts.runs, top.tree, check.id)));
  return [{ tree: top.tree, chain: idsOf(links), check: running ?? verdict.next, purpose, oldest, broken: verdict.broken && !running }];
}
