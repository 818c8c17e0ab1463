import { confirm, type Next } from './confirm.ts';
import { ask, idsOf, isStarted, type Link, stackUp, verdictAt } from './line.ts';
import { type Look, runKey } from './look.ts';
import type { WantedCheck } from './plan.ts';
import { reach, reachable } from './quarantine.ts';
import type { Group, Probe, QueueEntry } from './snapshot.ts';

/** A check that the plan would like to have, and on whose behalf. */
export interface Want extends WantedCheck {
  readonly oldest: QueueEntry;
  readonly broken: boolean;
}

export interface Search {
  readonly group: Group;
  readonly wants: readonly Want[];
  /** Checks on earlier heads that run: what they answer is of use. */
  readonly stale: readonly Probe[];
  /** Of a single suspect. */
  readonly next: Next | undefined;
}

/** Groups that can be worked on: the others wait for something to land. */
export const activeGroups = (look: Look) => look.groups.filter((group) => reachable(look, group) > 0).length;

/** How many parts of each group are tried at the same time: what the chain leaves free, shared. */
export function probesEach(look: Look, segments: number, groups: number): number {
  const reserved = Math.min(groups, Math.floor(look.slots / 4));
  const free = look.slots - Math.min(segments, look.slots - reserved);
  return Math.max(1, Math.floor(free / Math.max(1, groups)));
}

/** The checks that bring a group nearer to its culprit. `others`: the chain wants checks too. */
export function searchIn(look: Look, group: Group, each: number, others: boolean): Search {
  const links = stackUp(look, group.ids);
  const trees = new Set(links.map((link) => link.tree));
  const stale = group.probes.filter((probe) => look.busyTrees.has(probe.tree) && !trees.has(probe.tree) && reach(probe, group.ids) > 0);
  const can = reachable(look, group);
  if (can === 0) return { group, stale, wants: [], next: undefined };
  if (group.ids.length === 1) return single(look, group, links[0], stale, others);
  const cuts = cutsOf(look, group, links, each - stale.length, can);
  const furthest = Math.max(0, ...cuts);
  if (furthest > links.length) ask(look, links, look.open.get(group.ids[links.length]!)!);
  const wants = cuts.filter((cut) => cut <= links.length).flatMap((cut) => probe(look, links.slice(0, cut), 'probe'));
  return { group, stale, wants, next: undefined };
}

/** Where to cut: first where a check has begun, then evenly. */
function cutsOf(look: Look, group: Group, links: readonly Link[], count: number, can: number): number[] {
  const size = group.ids.length;
  const most = Math.min(size - 1, can);
  const begun = links.flatMap((link, at) => (at < most && isStarted(look, link) ? [at + 1] : []));
  const even = Array.from({ length: Math.max(0, count) }, (_, at) => Math.round((size * (at + 1)) / (count + 1)));
  const fresh = even.map((cut) => Math.min(most, Math.max(1, cut))).filter((cut) => !begun.includes(cut));
  return [...begun, ...new Set(fresh)].slice(0, Math.max(begun.length, count));
}

function single(look: Look, group: Group, link: Link | undefined, stale: readonly Probe[], others: boolean): Search {
  const entry = look.open.get(group.ids[0]!)!;
  if (!link) return { group, stale, wants: [], next: undefined };
  const next = confirm(look, entry, others);
  if (next.do === 'head') {
    const { headTree: tree } = look.snapshot;
    const want: Want = { tree, chain: [], check: next.check, purpose: 'head', oldest: entry, broken: next.broken };
    return { group, stale, wants: [want], next };
  }
  // One at a time: an answer that is on its way from an earlier head counts as much.
  if (next.do !== 'run' || stale.length > 0) return { group, stale, wants: [], next };
  const want: Want = { tree: link.tree, chain: [entry.id], check: next.check, purpose: 'confirm', oldest: entry, broken: next.broken };
  return { group, stale, wants: [want], next };
}

/** The next check of a stack, if it is not decided yet. */
export function probe(look: Look, links: readonly Link[], purpose: 'chain' | 'probe'): Want[] {
  const top = links.at(-1)!;
  const verdict = verdictAt(look, top);
  if (verdict.is !== 'open') return [];
  const oldest = links.map((link) => link.entry).reduce((a, b) => ((b.at - a.at || b.id - a.id) < 0 ? b : a));
  const running = runningCheck(look, top);
  return [{ tree: top.tree, chain: idsOf(links), check: running ?? verdict.next, purpose, oldest, broken: verdict.broken && !running }];
}

const runningCheck = (look: Look, link: Link) => link.checks.find((check) => look.busy.has(runKey(look.runs, link.tree, check.id)));
