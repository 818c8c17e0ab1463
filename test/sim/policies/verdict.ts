import type { QueuePlan } from '../../../src/queue/plan.ts';
import { type Chain, type CheckSpec, chainKey, type QueueEntry, type QueueSnapshot } from '../../../src/queue/snapshot.ts';

/** Like the plan, but still growing. */
export type Draft = { -readonly [K in keyof QueuePlan]: QueuePlan[K] };

export const draft = (snapshot: QueueSnapshot): Draft => ({
  stack: [],
  checks: [],
  cancel: [],
  land: undefined,
  handback: [],
  refuse: [],
  reject: [],
  contained: [],
  states: [],
  halted: undefined,
  notes: snapshot.notes,
});

/** First come first served, but never before what an entry needs. */
export function inOrder(snapshot: QueueSnapshot): QueueEntry[] {
  const line: QueueEntry[] = [];
  const ahead = new Set(snapshot.landedTasks);
  for (const entry of snapshot.entries.toSorted((a, b) => a.at - b.at || a.id - b.id)) {
    if (!entry.after.every((task) => ahead.has(task))) continue;
    line.push(entry);
    ahead.add(entry.task);
  }
  return line;
}

export type Verdict =
  | { is: 'green'; tree: string }
  | { is: 'red'; tree: string; check: string; runs: number[] }
  | { is: 'open'; tree: string; check: CheckSpec };

/** What the runs say of a merged chain: red as soon as a check failed more often than it may. */
export function verdictOf(snapshot: QueueSnapshot, chain: Chain, tree: string, mayFail: number): Verdict {
  const own = snapshot.entries.filter(({ id }) => chain.includes(id)).flatMap((entry) => entry.own);
  for (const check of [...snapshot.checks, ...own]) {
    const runs = snapshot.runs.filter((run) => run.tree === tree && run.check === check.id);
    if (runs.some(({ outcome }) => outcome === 'pass')) continue;
    const fails = runs.filter(({ outcome }) => outcome === 'fail').map(({ id }) => id);
    if (fails.length > mayFail) return { is: 'red', tree, check: check.id, runs: fails };
    return { is: 'open', tree, check };
  }
  return { is: 'green', tree };
}

export function treeOf(snapshot: QueueSnapshot, chain: Chain): string | undefined {
  const known = snapshot.stacked.get(chainKey(chain));
  return known?.kind === 'clean' ? known.tree : undefined;
}

/** Merges one entry onto the head, or ends it if that cannot be. `undefined`: no tree yet, or never. */
export function alone(snapshot: QueueSnapshot, entry: QueueEntry, plan: Draft): string | undefined {
  const known = snapshot.stacked.get(chainKey([entry.id]));
  if (!known) plan.stack.push([entry.id]);
  else if (known.kind === 'contained') plan.contained.push(entry.id);
  else if (known.kind === 'conflict') plan.handback.push({ entry: entry.id, report: known.report });
  else if (known.kind === 'error') plan.refuse.push({ entry: entry.id, reason: known.reason });
  return known?.kind === 'clean' ? known.tree : undefined;
}

export function land(snapshot: QueueSnapshot, plan: Draft, entries: Chain, tree: string): void {
  const own = snapshot.entries.filter(({ id }) => entries.includes(id)).flatMap((entry) => entry.own);
  plan.land = { entries, tree, head: snapshot.head, unchecked: snapshot.checks.length + own.length === 0 };
}

export function reject(snapshot: QueueSnapshot, plan: Draft, entry: number, { check, tree, runs }: Extract<Verdict, { is: 'red' }>): void {
  plan.states.push({ entry, state: 'quarantined', reason: `failed ${check}` });
  plan.reject.push({ entry, check, tree, head: snapshot.head, runs });
}

/** Fills the slots with the first of the wanted checks and cancels the others. */
export function fill(snapshot: QueueSnapshot, plan: Draft, wanted: readonly { chain: Chain; tree: string; check: CheckSpec }[]): void {
  const first = wanted.slice(0, snapshot.slots);
  const same = (run: { tree: string; check: string }, want: (typeof first)[number]) =>
    run.tree === want.tree && run.check === want.check.id;
  plan.cancel.push(...snapshot.running.filter((run) => !first.some((want) => same(run, want))));
  const fresh = first.filter((want) => !snapshot.running.some((run) => same(run, want)));
  plan.checks.push(...fresh.map((want) => ({ ...want, purpose: 'chain' as const })));
}
