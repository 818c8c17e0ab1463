import { ended } from '../work/entry/state.ts';
import { poolOf } from './chain.ts';
import { isSuspect } from './check-for-approval.ts';
import { factsOf, hasLanded, type QueueFacts } from './facts.ts';
import { asksForYes } from './green-lacks-approval.ts';
import { stopFor } from './halt.ts';
import { isAdmissible, isBusy, segmentsOf } from './links.ts';
import { markOf } from './marks.ts';
import { ridesAlone } from './order.ts';
import { outside } from './places.ts';
import { type Decision, decide } from './plan.ts';
import { beforeYes, count, HELD, ridingText, suspicionText } from './reasons.ts';
import { experienceOf } from './risk.ts';
import type { QueueEntry, QueueSnapshot } from './snapshot.ts';
import { isChecked } from './states.ts';

interface EntryReason {
  readonly code: string;
  readonly text: string;
  /** Tasks that it is about. */
  readonly refs: string[];
}

interface Thought extends Decision {
  readonly facts: QueueFacts;
  /** The reason why nothing is done at all. */
  readonly stop: string | undefined;
  /** Entries that wait to join the chain, best first. */
  readonly pool: readonly QueueEntry[];
}

/** The whole queue is explained entry by entry, from one shared result. */
const thoughts = new WeakMap<QueueSnapshot, Thought>();

/** Explains why an entry is where it is: every wait has a named cause. */
export function explainEntry(snapshot: QueueSnapshot, id: number): EntryReason[] {
  const entry = snapshot.entries.find((one) => one.id === id);
  if (!entry) return [{ code: 'unknown', text: `there is no entry ${id}`, refs: [] }];
  if (ended(entry.state)) return [{ code: 'ended', text: `it has ended: ${entry.state}`, refs: [] }];
  if (snapshot.untrusted !== undefined) return [{ code: 'trust', text: `${snapshot.untrusted}: furrow trust`, refs: [] }];
  if (snapshot.stopped) return [{ code: 'stopped', text: 'the farm is stopped; furrow resume lets it land', refs: [] }];
  if (snapshot.paused) return [{ code: 'paused', text: 'the queue is paused', refs: [] }];
  const thought = thoughts.get(snapshot) ?? think(snapshot);
  if (thought.stop) return [{ code: 'halted', text: `queue halted: ${thought.stop}`, refs: [] }];
  const { halted } = thought.work;
  const halt = halted === undefined ? [] : [{ code: 'halted', text: `queue halted: ${halted}`, refs: [] }];
  return [
    ...halt,
    ...(endsNow(thought, entry) ??
      forYes(thought, entry) ??
      suspected(thought, entry) ??
      stacked(thought, entry) ??
      waiting(thought, entry)),
  ];
}

function think(snapshot: QueueSnapshot): Thought {
  const facts = factsOf(snapshot);
  const stop = stopFor(facts);
  const decision = decide(facts);
  const { chain, held, groups } = decision.places;
  const thought = {
    ...decision,
    facts,
    stop: stop && (stop.halted ?? 'the head failed its checks, and is being checked again'),
    pool: poolOf(facts, chain, outside(held, groups), decision.marks, experienceOf(facts, groups)).map(({ entry }) => entry),
  };
  thoughts.set(snapshot, thought);
  return thought;
}

const about = (entry: QueueEntry, code: string, text: string, refs: string[] = [entry.task]): EntryReason[] => [{ code, text, refs }];

/** It ends now. */
function endsNow({ facts, ends, reject, land }: Thought, entry: QueueEntry): EntryReason[] | undefined {
  const is = (one: { entry: number }) => one.entry === entry.id;
  if (ends.contained.includes(entry.id)) return about(entry, 'contained', 'the head already has its work');
  const conflict = ends.handback.find(is);
  if (conflict) return about(entry, 'conflict', `does not merge: ${conflict.report.files.map((file) => file.path).join(', ')}`);
  const refused = ends.refuse.find(is);
  if (refused) return about(entry, 'refused', refused.reason);
  const rejected = reject.find(is);
  if (rejected) return about(entry, 'red', `fails ${nameOf(facts, rejected.check)} on a head that passes it`);
  if (!land?.entries.includes(entry.id)) return undefined;
  return land.unchecked ? about(entry, 'unchecked', 'lands unchecked: no checks are configured') : about(entry, 'landing', 'lands now');
}

/** It needs a person's yes, and nothing speaks against it. */
function forYes({ facts, places, marks, merges, work }: Thought, entry: QueueEntry): EntryReason[] | undefined {
  if (places.green.has(entry.id)) return about(entry, entry.review ? 'review' : 'approval', asksForYes(facts.snapshot, entry));
  const group = places.groups.find((one) => one.ids.includes(entry.id));
  const elsewhere = places.held.some((one) => one.ids.includes(entry.id)) || (group && isSuspect(facts, marks, group));
  if (!entry.awaitsYes || elsewhere || !isAdmissible(facts, [], entry)) return undefined;
  if (isMerging(merges, entry)) return about(entry, 'merging', 'is being merged onto the head');
  if (isChecked(facts, group, entry.id, work.checks)) return about(entry, 'checking', beforeYes(entry));
  return about(entry, 'full', `waits for a free slot, to be ${beforeYes(entry)}`);
}

const isMerging = (merges: Thought['merges'], { id }: QueueEntry) => merges.some((chain) => chain.length === 1 && chain[0] === id);

/** It is held, or in quarantine. */
function suspected({ facts, places, marks, searches }: Thought, entry: QueueEntry): EntryReason[] | undefined {
  const held = places.held.find((one) => one.ids.includes(entry.id));
  if (held) {
    const open = held.tasks.filter((task) => !hasLanded(facts, task));
    return about(entry, 'held', HELD, open);
  }
  const search = searches.find((one) => one.group.ids.includes(entry.id));
  if (!search) return undefined;
  const { group, next } = search;
  const members = group.ids.map((id) => facts.open.get(id)!.task);
  const needs = unlanded(facts, entry).filter((task) => !members.includes(task));
  const waits = needs.map((task) => waitsFor(facts, task, 'is not landed yet'));
  const others = members.filter((_, at) => group.ids[at] !== entry.id);
  if (group.ids.length > 1) return [...about(entry, 'suspect', suspicionText(facts, group, marks), others), ...waits];
  if (waits.length > 0) return [...about(entry, 'suspect', 'suspected: it is checked alone once everything it needs has landed'), ...waits];
  if (next?.do === 'head') return about(entry, 'confirming', `failed ${next.check.name}; before it is blamed, the head itself is checked`);
  if (next?.do === 'wait')
    return about(entry, 'confirming', 'fails alone on the head; another check runs first to show whether the machine is healthy');
  return about(entry, 'confirming', suspicionText(facts, group, marks));
}

/** It is in the chain. */
function stacked(thought: Thought, entry: QueueEntry): EntryReason[] | undefined {
  const { facts, marks, work } = thought;
  const { chain } = thought.places;
  const segments = segmentsOf(chain);
  const at = segments.findIndex((ids) => ids.includes(entry.id));
  if (at < 0) return undefined;
  const tasksOf = (ids: readonly number[]) => ids.filter((id) => id !== entry.id).map((id) => facts.open.get(id)!.task);
  const ahead = tasksOf(segments.slice(0, at).flat());
  const top = chain.links[chain.ends[at]! - 1]!;
  const runs = isBusy(facts, top) || work.checks.some((check) => check.tree === top.tree);
  const riding = () => about(entry, 'checking', ridingText(chain, segments[at]!, at, marks), tasksOf(segments[at]!));
  return [
    ...(runs ? riding() : about(entry, 'full', 'stacked, and waits for a free slot')),
    ...foundOut(thought, entry),
    ...(ahead.length > 0 ? about(entry, 'behind', `${count(ahead.length, 'entry', 'entries')} ahead of it in the chain`, ahead) : []),
  ];
}

/** The findings of quarantine about it. */
function foundOut({ marks }: Thought, entry: QueueEntry): EntryReason[] {
  const mark = markOf(marks, entry.id);
  if (ridesAlone(mark))
    return about(entry, 'alone', 'checked alone: it was cleared twice, but checks still fail when it is stacked with others');
  return mark.cleared > 0 ? about(entry, 'cleared', 'cleared: it passes without the rest of its group') : [];
}

/** It is in the pool. */
function waiting(thought: Thought, entry: QueueEntry): EntryReason[] {
  const { facts, pool, merges } = thought;
  const { chain, clashing, pending } = thought.places;
  const before = pool.slice(0, Math.max(0, pool.indexOf(entry))).map((one) => one.task);
  const ahead = [...chain.links.map((link) => link.entry.task), ...before];
  const behind = ahead.length > 0 ? about(entry, 'behind', `${count(ahead.length, 'entry', 'entries')} ahead of it`, ahead) : [];
  if (!isAdmissible(facts, chain.links, entry)) {
    const needs = unlanded(facts, entry).filter((task) => !chain.links.some((link) => link.entry.task === task));
    return needs.map((task) => waitsFor(facts, task, placeOf(thought, task)));
  }
  if (isMerging(merges, entry)) return about(entry, 'merging', 'is being merged onto the head');
  if (clashing.has(entry.id)) {
    const other = facts.open.get(clashing.get(entry.id) ?? -1)?.task;
    const text = `does not merge with ${other ?? 'the chain'} ahead of it: it waits until that has landed or left the queue`;
    return about(entry, 'conflict-ahead', text, other ? [other] : []);
  }
  if (pending !== undefined) return [...about(entry, 'merging', 'the chain is being merged'), ...behind];
  const why = chain.ends.length === 0 ? [] : about(entry, 'full', 'the segments of the chain are full');
  return [...why, ...foundOut(thought, entry), ...behind];
}

const unlanded = (facts: QueueFacts, entry: QueueEntry) => entry.after.filter((task) => !hasLanded(facts, task));

function waitsFor({ snapshot }: QueueFacts, task: string, place: string): EntryReason {
  const absent = snapshot.absent?.get(task);
  if (absent) {
    const next = absent.comes ? '' : `; ${absent.next}`;
    return { code: 'waits-for', text: `waits for ${nameOfTask(task)}, which ${absent.is}${next}`, refs: [task] };
  }
  const last = snapshot.entries.findLast((one) => one.task === task);
  const how = !last ? 'was not submitted' : ended(last.state) ? `has ended: ${last.state}` : place;
  return { code: 'waits-for', text: `waits for ${task}, which ${how}`, refs: [task] };
}

const nameOfTask = (ref: string) => ref.slice(ref.indexOf('/') + 1);

function placeOf({ facts, places, pool }: Thought, task: string): string {
  const has = (ids: Iterable<number>) => [...ids].some((id) => facts.open.get(id)?.task === task);
  const green = [...places.green.keys()].map((id) => facts.open.get(id)).find((entry) => entry?.task === task);
  if (green) return green.review ? `passed its checks and ${green.review.text}` : 'passed its checks and waits for your approval';
  if (places.held.some((one) => has(one.ids))) return 'is held';
  if (places.groups.some((one) => has(one.ids))) return 'is in quarantine';
  const at = pool.findIndex((one) => one.task === task);
  return at < 0 ? 'is about to end' : `is in the queue behind ${count(at + places.chain.links.length, 'entry', 'entries')}`;
}

const nameOf = ({ snapshot }: QueueFacts, id: string) =>
  [...snapshot.checks, ...snapshot.entries.flatMap((entry) => entry.own)].find((one) => one.id === id)?.name ?? id;
