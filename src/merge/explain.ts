import { orderOf } from './order.ts';
import { planQueue, type QueuePlan } from './plan.ts';
import type { QueueEntry, QueueSnapshot } from './snapshot.ts';
import { ended } from './state.ts';

export interface EntryReason {
  readonly code: string;
  readonly text: string;
  readonly refs: string[];
}

/** Why an entry is where it is: every non-action has a named cause. */
export function explainEntry(snapshot: QueueSnapshot, id: number): EntryReason[] {
  const entry = snapshot.entries.find((one) => one.id === id);
  if (!entry) return [{ code: 'unknown', text: `there is no entry ${id}`, refs: [] }];
  if (ended(entry.state)) return [{ code: 'ended', text: `it has ended: ${entry.state}`, refs: [] }];
  if (snapshot.paused) return [{ code: 'paused', text: 'the queue is paused', refs: [] }];
  const { line, waiting } = orderOf(snapshot.entries, snapshot.landedTasks);
  const missing = waiting.find((one) => one.entry === entry)?.missing;
  if (missing) return missing.map((task) => absent(snapshot, task));
  const ahead = line.slice(0, line.indexOf(entry)).map((one) => one.task);
  const plan = planQueue({ ...snapshot, running: [], slots: 1 });
  return [
    ...(plan.halted ? [{ code: 'halted', text: plan.halted, refs: [] }] : []),
    ...entry.after.filter((task) => !snapshot.landedTasks.has(task)).map((task) => queued(line, task)),
    ...own(snapshot, plan, entry),
    ...(ahead.length ? [{ code: 'behind', text: `${count(ahead.length)} ahead of it`, refs: ahead }] : []),
  ];
}

function absent(snapshot: QueueSnapshot, task: string): EntryReason {
  const last = snapshot.entries.findLast((one) => one.task === task);
  if (!last) return { code: 'waits-for', text: `waits for ${task}, which was not submitted`, refs: [task] };
  const how = ended(last.state) ? `whose last entry ended: ${last.state}` : 'which waits itself';
  return { code: 'waits-for', text: `waits for ${task}, ${how}`, refs: [task] };
}

function queued(line: readonly QueueEntry[], task: string): EntryReason {
  const at = line.findIndex((one) => one.task === task);
  const place = at === 0 ? 'is next in the queue' : `is in the queue behind ${count(at)}`;
  return { code: 'waits-for', text: `waits for ${task}, which ${place}`, refs: [task] };
}

/** What the plan means to do with this very entry. */
function own(snapshot: QueueSnapshot, plan: QueuePlan, entry: QueueEntry): EntryReason[] {
  const say = (code: string, text: string): EntryReason[] => [{ code, text, refs: [entry.task] }];
  const is = (one: { entry: number }) => one.entry === entry.id;
  if (plan.stack.some(is)) return say('merging', 'is being merged onto the head');
  if (plan.contained.includes(entry.id)) return say('contained', 'the head has its work already');
  const conflict = plan.handback.find(is);
  if (conflict) return say('conflict', `does not merge: ${conflict.report.files.map((file) => file.path).join(', ')}`);
  const rejected = plan.reject.find(is);
  if (rejected) return say('red', `fails ${nameOf(snapshot, rejected.check)} on a head that passes it`);
  const landing = plan.land.find((one) => one.entries.includes(entry.id));
  if (landing) return landing.unchecked ? say('unchecked', 'lands unchecked: no checks are configured') : say('landing', 'lands now');
  const stacked = snapshot.stacked.find((one) => one.head === snapshot.head && one.sha === entry.sha)?.result;
  if (stacked?.kind === 'error') return say('held', stacked.reason);
  const wanted = plan.checks.find(is);
  if (!wanted) return [];
  const { name } = wanted.check;
  if (wanted.purpose === 'head') return say('confirming', `failed ${name}; the head is checked before it is blamed`);
  if (wanted.purpose === 'confirm') return say('confirming', `failed ${name}; it is run again`);
  return say('checking', `is being checked: ${name}`);
}

const nameOf = (snapshot: QueueSnapshot, id: string) =>
  [...snapshot.checks, ...snapshot.entries.flatMap((entry) => entry.own)].find((one) => one.id === id)?.name ?? id;
const count = (n: number) => (n === 1 ? '1 entry' : `${n} entries`);
