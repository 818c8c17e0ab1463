import type { EntryState } from '../journal/schema.ts';
import type { ConflictReport } from './conflict.ts';
import { orderOf } from './order.ts';
import type { CheckSpec, QueueEntry, QueueSnapshot, StackResult } from './snapshot.ts';
import { MAX_ERRORS, verdictOf } from './verdict.ts';

export interface WantedCheck {
  readonly tree: string;
  /** The landing to build and check, or the head as it stands. */
  readonly commit: { readonly head: string; readonly sha: string; readonly entry: number } | { readonly head: string };
  readonly check: CheckSpec;
  /** On whose behalf. */
  readonly entry: number;
  readonly purpose: 'entry' | 'confirm' | 'head';
}

export interface QueuePlan {
  /** Merges to compute. */
  readonly stack: { head: string; sha: string; entry: number }[];
  /** Checks to start: wanted and not running. */
  readonly checks: WantedCheck[];
  /** Checks that run and are wanted no more. */
  readonly cancel: { tree: string; check: string }[];
  /** `unchecked`: the project has no checks, which deserves a loud note. */
  readonly land: { entries: number[]; tree: string; head: string; unchecked: boolean }[];
  readonly handback: { entry: number; report: ConflictReport }[];
  /** Entries that cannot be merged at all (no common history), and why. */
  readonly refuse: { entry: number; reason: string }[];
  readonly reject: { entry: number; check: string; tree: string; head: string }[];
  /** Entries whose work the head already has: landed, without a commit. */
  readonly contained: number[];
  /** Moves inside the queue. Ends are not repeated here: they follow from the lists above. */
  readonly states: { entry: number; state: EntryState; reason: string }[];
  /** Why the line stands still until a human acts. */
  halted: string | undefined;
}

/**
 * What to do next, from nothing but the snapshot: same snapshot, same plan. One entry at a time: the first that may land
 * is merged onto the head, checked, and landed or sent back; entries that need no check on the way are settled at once.
 */
export function planQueue(snapshot: QueueSnapshot): QueuePlan {
  const plan: QueuePlan = {
    stack: [],
    checks: [],
    cancel: [],
    land: [],
    handback: [],
    refuse: [],
    reject: [],
    contained: [],
    states: [],
    halted: undefined,
  };
  if (snapshot.paused) return plan;
  const { line, waiting } = orderOf(snapshot.entries, snapshot.landedTasks);
  const wanted: WantedCheck[] = [];
  const candidate = settle(snapshot, line, plan);
  if (candidate) verify(snapshot, candidate.entry, candidate.tree, plan, wanted);

  const settled = new Set([...plan.contained, ...[...plan.handback, ...plan.refuse].map(({ entry }) => entry), candidate?.entry.id]);
  for (const entry of [...line, ...waiting.map((one) => one.entry)]) {
    if (settled.has(entry.id) || plan.states.some((move) => move.entry === entry.id)) continue;
    if (entry.state !== 'queued') move(plan, entry, 'queued', 'not its turn');
  }
  const same = (a: { tree: string; check: string }, b: WantedCheck) => a.tree === b.tree && a.check === b.check.id;
  plan.cancel.push(...snapshot.running.filter((run) => !wanted.some((want) => same(run, want))));
  const free = snapshot.slots - (snapshot.running.length - plan.cancel.length);
  plan.checks.push(...wanted.filter((want) => !snapshot.running.some((run) => same(run, want))).slice(0, Math.max(0, free)));
  return plan;
}

/** Settles what needs no check, up to the first entry that merges cleanly or has yet to be merged. */
function settle(snapshot: QueueSnapshot, line: readonly QueueEntry[], plan: QueuePlan): { entry: QueueEntry; tree: string } | undefined {
  for (const entry of line) {
    // A needed task that is only ahead in the line has to land first; the head will then be another one.
    if (!entry.after.every((task) => snapshot.landedTasks.has(task))) continue;
    const result = stackedOn(snapshot, entry);
    if (!result) {
      plan.stack.push({ head: snapshot.head, sha: entry.sha, entry: entry.id });
      return undefined;
    }
    if (result.kind === 'clean') return { entry, tree: result.tree };
    if (result.kind === 'contained') plan.contained.push(entry.id);
    if (result.kind === 'conflict') plan.handback.push({ entry: entry.id, report: result.report });
    if (result.kind === 'error') plan.refuse.push({ entry: entry.id, reason: result.reason });
  }
  return undefined;
}

/** All checks green on exactly this tree: land. Red for good, on a head that is green: reject. Else: ask for the next run. */
function verify(snapshot: QueueSnapshot, entry: QueueEntry, tree: string, plan: QueuePlan, wanted: WantedCheck[]): void {
  const commit = { head: snapshot.head, sha: entry.sha, entry: entry.id };
  for (const check of [...snapshot.checks, ...entry.own]) {
    const verdict = verdictOf(snapshot.runs, tree, check.id, snapshot.retries);
    if (verdict.is === 'green') continue;
    if (verdict.is === 'unknown') {
      move(plan, entry, 'checking', `checking ${check.name}`);
      wanted.push({ tree, commit, check, entry: entry.id, purpose: 'entry' });
      return;
    }
    if (verdict.is === 'broken') {
      plan.halted = `${check.name} could not be run on ${entry.task}, ${MAX_ERRORS} times in a row`;
      return;
    }
    move(plan, entry, 'quarantined', `failed ${check.name}`);
    // A check of its own may well be red without it: then the head has nothing to prove.
    const head = entry.own.includes(check) ? 'green' : headAnswer(snapshot, check, verdict.since, plan);
    if (head === 'unknown')
      wanted.push({ tree: snapshot.headTree, commit: { head: snapshot.head }, check, entry: entry.id, purpose: 'head' });
    if (head !== 'green') return;
    if (verdict.is === 'red') plan.reject.push({ entry: entry.id, check: check.id, tree, head: snapshot.head });
    else wanted.push({ tree, commit, check, entry: entry.id, purpose: 'confirm' });
    return;
  }
  move(plan, entry, 'checking', 'all checks passed');
  plan.land.push({ entries: [entry.id], tree, head: snapshot.head, unchecked: snapshot.checks.length + entry.own.length === 0 });
}

/**
 * Before an entry's second red counts, the head must pass the same check, after the first. An old pass of the head is not
 * enough: with a database that went down since, every entry behind would be rejected one after the other.
 */
function headAnswer(snapshot: QueueSnapshot, check: CheckSpec, since: number, plan: QueuePlan): 'green' | 'unknown' | 'halted' {
  const verdict = verdictOf(snapshot.runs, snapshot.headTree, check.id, snapshot.retries, since);
  if (verdict.is === 'green') return 'green';
  if (verdict.is === 'red') plan.halted = `the head itself fails ${check.name}: nothing lands until it passes`;
  if (verdict.is === 'broken') plan.halted = `${check.name} could not be run on the head, ${MAX_ERRORS} times in a row`;
  return plan.halted === undefined ? 'unknown' : 'halted';
}

function stackedOn(snapshot: QueueSnapshot, entry: QueueEntry): StackResult | undefined {
  return snapshot.stacked.find((one) => one.head === snapshot.head && one.sha === entry.sha)?.result;
}

function move(plan: QueuePlan, entry: QueueEntry, state: EntryState, reason: string): void {
  if (entry.state !== state) plan.states.push({ entry: entry.id, state, reason });
}
