import { ask, idsOf, isStarted, type Link, push, stackUp } from './line.ts';
import { isReady, type Look, lives, markOf } from './look.ts';
import { orderOf, ridesAlone } from './order.ts';
import { budgetsOf, chainSlots, massOf, riskOf } from './risk.ts';
import type { Chain, QueueEntry } from './snapshot.ts';

/** A segment that has something in it takes nothing that lifts it further above its budget than this. */
const OVERFULL = 1.25;

/** Keeps the leading segments of which a check runs or has run, and what held segments wait for: those trees are worth something. */
export function keep(look: Look, behind: readonly Chain[]): void {
  const out = new Set([...look.held, ...look.groups].flatMap((one) => one.ids));
  const stays = (id: number) => lives(look, id) && !out.has(id) && !look.open.get(id)!.awaitsYes;
  const segments = look.segments.map((ids) => ids.filter(stays)).filter((ids) => ids.length > 0);
  const links = stackUp(look, segments.flat());
  const leads = (ids: Chain) => ids.every((id, at) => links[at]?.entry.id === id);
  const waitedFor = Math.max(0, ...behind.filter(leads).map((ids) => ids.length));
  const ends: number[] = [];
  let kept = 0;
  for (const segment of segments) {
    const end = (ends.at(-1) ?? 0) + segment.length;
    if (end > links.length) break;
    ends.push(end);
    if (isStarted(look, links[end - 1]!) || (ends.at(-2) ?? 0) < waitedFor) kept = ends.length;
  }
  look.line = { links: links.slice(0, ends[kept - 1] ?? 0), ends: ends.slice(0, kept) };
}

/** Who may join the chain, best first. */
export function poolOf(look: Look): QueueEntry[] {
  const out = new Set([...look.held, ...look.groups].flatMap((one) => one.ids));
  for (const link of look.line.links) out.add(link.entry.id);
  const open = [...look.open.values()].filter((entry) => lives(look, entry.id) && !entry.awaitsYes);
  return orderOf(open, look.snapshot.record, look.marks).filter((entry) => !out.has(entry.id));
}

/** Cuts new segments behind the kept ones, as many as the chain has slots. */
export function fill(look: Look, groups: number): void {
  const { line } = look;
  const slots = chainSlots(look.slots, groups);
  const budgets = budgetsOf(slots);
  let pool = poolOf(look);
  const keys = new Set(line.links.map((link) => link.key));
  while (line.ends.length < slots && look.pending === undefined) {
    const before = line.links.length;
    fillSegment(look, pool, budgets[line.ends.length]!, keys);
    if (look.pending !== undefined) line.links.length = before;
    if (line.links.length === before) return;
    line.ends.push(line.links.length);
    const taken = new Set(idsOf(line.links.slice(before)));
    pool = pool.filter((entry) => !taken.has(entry.id));
  }
}

/** Goes over the pool as long as that adds anything: whoever joins may be what another one needs. */
function fillSegment(look: Look, pool: readonly QueueEntry[], budget: number, keys: Set<string>): void {
  const { links } = look.line;
  const from = links.length;
  const taken = new Set<QueueEntry>();
  const tasks = new Set(links.map((link) => link.entry.task));
  let mass = 0;
  for (let added = true; added; ) {
    added = false;
    for (const entry of pool) {
      const count = links.length - from;
      if (count > 0 && (mass >= budget || count >= look.snapshot.batch)) return;
      if (taken.has(entry) || look.clashing.has(entry.id)) continue;
      const alone = ridesAlone(look.marks.get(entry.id));
      const more = massOf(riskOf(entry, look.snapshot.record, markOf(look, entry.id)));
      if (count > 0 && (alone || mass + more > OVERFULL * budget)) continue;
      if (!isReady(look, entry) && !entry.after.every((task) => tasks.has(task) || look.snapshot.landedTasks.has(task))) continue;
      if (!join(look, entry, keys)) {
        if (look.pending !== undefined) return;
        continue;
      }
      if (alone) return;
      taken.add(entry);
      tasks.add(entry.task);
      mass += more;
      added = true;
    }
  }
}

/** Stacks an entry; one that is known not to merge with part of the chain waits until that part has landed or gone. */
function join(look: Look, entry: QueueEntry, keys: Set<string>): boolean {
  const { links } = look.line;
  const known = look.clashes.get(entry.id)?.find((key) => keys.has(key));
  if (known !== undefined) {
    look.clashing.set(entry.id, culprit(look, links, known, entry));
    return false;
  }
  const unsettled = isReady(look, entry) && !look.snapshot.stacked.has(`${entry.id}`);
  const result = unsettled ? 'unknown' : push(look, links, entry);
  if (result === 'unknown') {
    look.pending = entry.id;
    ask(look, unsettled ? [] : links, entry);
  }
  if (result === 'clean') keys.add(links.at(-1)!.key);
  return result === 'clean';
}

/** With whom: the top of the stack that it does not merge with, if it merges with the rest; else whom the report names. */
function culprit(look: Look, links: readonly Link[], key: string, entry: QueueEntry): number | undefined {
  const { stacked } = look.snapshot;
  const at = links.findIndex((link) => link.key === key);
  const rest = at === 0 ? `${entry.id}` : `${links[at - 1]?.key},${entry.id}`;
  if (stacked.get(rest)?.kind === 'clean') return links[at]?.entry.id;
  const result = stacked.get(`${key},${entry.id}`);
  const named = new Set(result?.kind === 'conflict' ? result.report.files.flatMap((file) => file.oursTasks.map((one) => one.task)) : []);
  return links.findLast((link) => named.has(link.entry.task))?.entry.id;
}
