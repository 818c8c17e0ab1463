import { poolOf } from './chain.ts';
import { type Decision, decide } from './decide.ts';
import { asksForYes } from './green.ts';
import { stopFor } from './head.ts';
import { isAdmissible, isBusy, segmentsOf } from './line.ts';
import { hasLanded, type Look, lookAt, markOf } from './look.ts';
import { BEFORE_YES, count, HELD, isChecked, riding, suspicion } from './moves.ts';
import { ridesAlone } from './order.ts';
import { arrange, type Work } from './slots.ts';
import type { QueueEntry, QueueSnapshot } from './snapshot.ts';
import { ended } from './state.ts';
import { isSuspect } from './yes.ts';

export interface EntryReason {
  readonly code: string;
  readonly text: string;
  /** Tasks that it is about. */
  readonly refs: string[];
}

interface Thought {
  /** Why nothing is done at all. */
  readonly stop: string | undefined;
  readonly decision: Decision;
  readonly work: Work;
  /** Who waits to join the chain, best first. */
  readonly pool: readonly QueueEntry[];
}

/** The whole queue is explained entry by entry, and all of that is one thought. */
const thoughts = new WeakMap<QueueSnapshot, Thought>();

/** Why an entry is where it is: every non-action has a named cause. */
export function explainEntry(snapshot: QueueSnapshot, id: number): EntryReason[] {
  const entry = snapshot.entries.find((one) => one.id === id);
  if (!entry) return [{ code: 'unknown', text: `there is no entry ${id}`, refs: [] }];
  if (ended(entry.state)) return [{ code: 'ended', text: `it has ended: ${entry.state}`, refs: [] }];
  if (snapshot.paused) return [{ code: 'paused', text: 'the queue is paused', refs: [] }];
  const thought = thoughts.get(snapshot) ?? think(snapshot);
  if (thought.stop) return [{ code: 'halted', text: `queue halted: ${thought.stop}`, refs: [] }];
  const { halted } = thought.work;
  const halt = halted === undefined ? [] : [{ code: 'halted', text: `queue halted: ${halted}`, refs: [] }];
  return [
    ...halt,
    ...(settled(thought.decision, entry) ??
      forYes(thought, entry) ??
      suspected(thought, entry) ??
      stacked(thought, entry) ??
      waiting(thought, entry)),
  ];
}

function think(snapshot: QueueSnapshot): Thought {
  const look = lookAt(snapshot);
  const stop = stopFor(look);
  const decision = decide(look);
  const thought = {
    stop: stop && (stop.halted ?? 'its head was red, and is being checked again'),
    decision,
    work: arrange(decision),
    pool: poolOf(decision.look),
  };
  thoughts.set(snapshot, thought);
  return thought;
}

const about = (entry: QueueEntry, code: string, text: string, refs: string[] = [entry.task]): EntryReason[] => [{ code, text, refs }];

/** It ends now. */
function settled({ look, contained, handback, refuse, reject, land }: Decision, entry: QueueEntry): EntryReason[] | undefined {
  const is = (one: { entry: number }) => one.entry === entry.id;
  if (contained.includes(entry.id)) return about(entry, 'contained', 'the head has its work already');
  const conflict = handback.find(is);
  if (conflict) return about(entry, 'conflict', `does not merge: ${conflict.report.files.map((file) => file.path).join(', ')}`);
  const refused = refuse.find(is);
  if (refused) return about(entry, 'refused', refused.reason);
  const rejected = reject.find(is);
  if (rejected) return about(entry, 'red', `fails ${nameOf(look, rejected.check)} on a head that passes it`);
  if (!land?.entries.includes(entry.id)) return undefined;
  return land.unchecked ? about(entry, 'unchecked', 'lands unchecked: no checks are configured') : about(entry, 'landing', 'lands now');
}

/** It needs a person's yes, and nothing speaks against it. */
function forYes({ decision: { look }, work }: Thought, entry: QueueEntry): EntryReason[] | undefined {
  if (look.green.has(entry.id)) return about(entry, 'approval', asksForYes(look.snapshot, entry));
  const group = look.groups.find((one) => one.ids.includes(entry.id));
  const elsewhere = look.held.some((one) => one.ids.includes(entry.id)) || (group && isSuspect(look, group));
  if (!entry.awaitsYes || elsewhere || !isAdmissible(look, [], entry)) return undefined;
  if (look.asks.has(`${entry.id}`)) return about(entry, 'merging', 'is being merged onto the head');
  if (isChecked(look, work, entry.id)) return about(entry, 'checking', BEFORE_YES);
  return about(entry, 'full', `waits for a free slot, to be ${BEFORE_YES}`);
}

/** It is held, or in quarantine. */
function suspected({ decision }: Thought, entry: QueueEntry): EntryReason[] | undefined {
  const { look, searches } = decision;
  const tasks = (ids: readonly number[]) => ids.filter((id) => id !== entry.id).map((id) => look.open.get(id)!.task);
  const held = look.held.find((one) => one.ids.includes(entry.id));
  if (held)
    return about(
      entry,
      'held',
      HELD,
      held.tasks.filter((task) => !hasLanded(look, task)),
    );
  const search = searches.find((one) => one.group.ids.includes(entry.id));
  if (!search) return undefined;
  const { group, next } = search;
  const needs = unlanded(look, entry).filter((task) => !group.ids.some((id) => look.open.get(id)!.task === task));
  const waits = needs.map((task) => waitsFor(look, task, 'is not landed yet'));
  if (group.ids.length > 1) return [...about(entry, 'suspect', suspicion(look, group), tasks(group.ids)), ...waits];
  if (waits.length > 0) return [...about(entry, 'suspect', 'suspected: it is checked alone once it can stand on the head'), ...waits];
  if (next?.do === 'head') return about(entry, 'confirming', `failed ${next.check.name}; the head is checked before it is blamed`);
  if (next?.do === 'wait') return about(entry, 'confirming', 'red alone on the head; whether the machine is healthy is seen first');
  return about(entry, 'confirming', suspicion(look, group));
}

/** It is in the chain. */
function stacked({ decision: { look }, work }: Thought, entry: QueueEntry): EntryReason[] | undefined {
  const segments = segmentsOf(look.line);
  const at = segments.findIndex((ids) => ids.includes(entry.id));
  if (at < 0) return undefined;
  const riders = segments[at]!.map((id) => look.open.get(id)!);
  const ahead = segments.slice(0, at).flat();
  const behind = ahead.map((id) => look.open.get(id)!.task);
  const top = look.line.links[look.line.ends[at]! - 1]!;
  const others = riders.filter((one) => one !== entry).map((one) => one.task);
  const runs = isBusy(look, top) || work.checks.some((check) => check.tree === top.tree);
  return [
    ...(runs ? about(entry, 'checking', riding(look, riders, at), others) : about(entry, 'full', 'stacked, and waits for a free slot')),
    ...standing(look, entry),
    ...(behind.length > 0 ? about(entry, 'behind', `${count(behind.length, 'entry', 'entries')} ahead of it in the chain`, behind) : []),
  ];
}

/** What quarantine found out about it. */
function standing(look: Look, entry: QueueEntry): EntryReason[] {
  const mark = markOf(look, entry.id);
  if (ridesAlone(mark)) return about(entry, 'alone', 'rides alone: cleared twice, and yet red in company');
  return mark.cleared > 0 ? about(entry, 'cleared', 'was cleared: green on the head without the rest of its group') : [];
}

/** It is in the pool. */
function waiting({ decision: { look }, pool }: Thought, entry: QueueEntry): EntryReason[] {
  const line = pool.slice(0, Math.max(0, pool.indexOf(entry))).map((one) => one.task);
  const ahead = [...look.line.links.map((link) => link.entry.task), ...line];
  const behind = ahead.length > 0 ? about(entry, 'behind', `${count(ahead.length, 'entry', 'entries')} ahead of it`, ahead) : [];
  if (!isAdmissible(look, look.line.links, entry)) {
    const needs = unlanded(look, entry).filter((task) => !look.line.links.some((link) => link.entry.task === task));
    return needs.map((task) => waitsFor(look, task, placeOf(look, pool, task)));
  }
  if (look.asks.has(`${entry.id}`)) return about(entry, 'merging', 'is being merged onto the head');
  if (look.clashing.has(entry.id)) {
    const other = look.open.get(look.clashing.get(entry.id) ?? -1)?.task;
    return about(
      entry,
      'conflict-ahead',
      `does not merge with ${other ?? 'the chain'} ahead of it: it waits its turn`,
      other ? [other] : [],
    );
  }
  if (look.pending !== undefined) return [...about(entry, 'merging', 'the chain is being merged'), ...behind];
  const why = look.line.ends.length === 0 ? [] : about(entry, 'full', 'the segments have no room for it');
  return [...why, ...standing(look, entry), ...behind];
}

const unlanded = (look: Look, entry: QueueEntry) => entry.after.filter((task) => !hasLanded(look, task));

function waitsFor(look: Look, task: string, place: string): EntryReason {
  const absent = look.snapshot.absent?.get(task);
  if (absent) {
    const next = absent.comes ? '' : `; ${absent.next}`;
    return { code: 'waits-for', text: `waits for ${nameOfTask(task)}, which ${absent.is}${next}`, refs: [task] };
  }
  const last = look.snapshot.entries.findLast((one) => one.task === task);
  const how = !last ? 'was not submitted' : ended(last.state) ? `has ended: ${last.state}` : place;
  return { code: 'waits-for', text: `waits for ${task}, which ${how}`, refs: [task] };
}

const nameOfTask = (ref: string) => ref.slice(ref.indexOf('/') + 1);

function placeOf(look: Look, pool: readonly QueueEntry[], task: string): string {
  if ([...look.green.keys()].some((id) => look.open.get(id)?.task === task)) return 'is green and waits for your yes';
  if (look.held.some((one) => one.ids.some((id) => look.open.get(id)?.task === task))) return 'is held';
  if (look.groups.some((one) => one.ids.some((id) => look.open.get(id)?.task === task))) return 'is in quarantine';
  const at = pool.findIndex((one) => one.task === task);
  return at < 0 ? 'is about to end' : `is in the queue behind ${count(at + look.line.links.length, 'entry', 'entries')}`;
}

const nameOf = ({ snapshot }: Look, id: string) =>
  [...snapshot.checks, ...snapshot.entries.flatMap((entry) => entry.own)].find((one) => one.id === id)?.name ?? id;
