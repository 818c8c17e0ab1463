import { planQueue, type QueuePlan } from '../../src/queue/plan.ts';
import {
  type Chain,
  type CheckRun,
  type CheckSpec,
  chainKey,
  NO_NOTES,
  type QueueEntry,
  type QueueNotes,
  type QueueSnapshot,
  type StackResult,
} from '../../src/queue/snapshot.ts';
import type { ConflictReport } from '../../src/repo/merge/conflict.ts';

export const check = (name: string): CheckSpec => ({ id: name, name, run: name, timeoutMs: 1000, env: {} });

export const entry = (id: number, rest: Partial<QueueEntry> = {}): QueueEntry => ({
  id,
  task: `default/${id}`,
  attempt: 1,
  sha: `s${id}`,
  after: [],
  state: 'queued',
  at: id,
  own: [],
  priority: 0,
  overlaps: 0,
  awaitsYes: false,
  ...rest,
});

/** As in git: a tree is what is in it, in whatever order that came. */
const treeWith = (tree: string, part: string) => {
  const [base, ...parts] = tree.split('+');
  return [base, ...[...parts, part].sort()].join('+');
};

/** What the daemon and git keep for the planner: merges, runs and notes. Says nothing about what is right. */
export class Bench {
  entries: QueueEntry[];
  headTree = 'base';
  heads = 0;
  answered = 0;
  runs: CheckRun[] = [];
  running: { tree: string; check: string }[] = [];
  notes: QueueNotes = NO_NOTES;
  stacked = new Map<string, StackResult>();
  readonly landedTasks = new Set<string>();
  settings: Pick<QueueSnapshot, 'checks' | 'retries' | 'slots' | 'batch' | 'paused' | 'record' | 'preflight'> = {
    checks: [check('unit')],
    retries: 1,
    slots: 4,
    batch: 8,
    paused: false,
    record: { passes: 0, fails: 0 },
  };
  /** Pairs that conflict as text, unless a third is there as well; entries that share no history. */
  readonly clashes: [number, number, number?][] = [];
  readonly unrelated = new Set<number>();

  constructor(entries: QueueEntry[], settings: Partial<Bench['settings']> = {}) {
    this.entries = entries;
    this.settings = { ...this.settings, ...settings };
  }

  snapshot(): QueueSnapshot {
    const { entries, headTree, landedTasks, stacked, runs, running, notes } = this;
    return { head: `h${this.heads}`, headTree, entries, landedTasks, stacked, runs, running, notes, ...this.settings };
  }

  /** The plan once all merges that it asks for are known; its notes are kept, its checks are taken to run. */
  plan(planner: typeof planQueue = planQueue): QueuePlan {
    for (let steps = 0; steps < 1000; steps++) {
      const plan = planner(this.snapshot());
      if (plan.stack.length === 0) {
        this.notes = JSON.parse(JSON.stringify(plan.notes)) as QueueNotes;
        this.running = this.running.filter((run) => !plan.cancel.some((one) => one.tree === run.tree && one.check === run.check));
        this.running.push(...plan.checks.map((one) => ({ tree: one.tree, check: one.check.id })));
        return plan;
      }
      for (const chain of plan.stack) this.merge(chain);
    }
    throw new Error('the queue asks for merges for ever');
  }

  tree(chain: Chain): string {
    return chain.reduce((tree, id) => treeWith(tree, String(id)), this.headTree);
  }

  /** A check that ran on these entries on the head has answered. */
  answer(chain: Chain, outcome: CheckRun['outcome'], name = 'unit'): number {
    return this.ran({ tree: this.tree(chain), check: name }, outcome);
  }

  ran(run: { tree: string; check: string }, outcome: CheckRun['outcome']): number {
    this.running = this.running.filter((one) => one.tree !== run.tree || one.check !== run.check);
    const id = ++this.answered;
    this.runs = [...this.runs, { id, tree: run.tree, check: run.check, outcome }];
    return id;
  }

  /** The head moves by a landing: what was merged on top of it stays known. */
  land({ entries, tree }: { entries: Chain; tree: string }): void {
    const prefix = `${chainKey(entries)},`;
    const known = [...this.stacked].filter(([key]) => key.startsWith(prefix));
    this.moveHead(tree);
    for (const [key, result] of known) this.stacked.set(key.slice(prefix.length), result);
    for (const one of this.entries.filter(({ id }) => entries.includes(id))) this.landedTasks.add(one.task);
    this.entries = this.entries.filter((one) => !entries.includes(one.id));
  }

  moveHead(tree: string): void {
    this.heads++;
    this.headTree = tree;
    this.stacked = new Map();
  }

  userCommits(name: string): void {
    this.moveHead(treeWith(this.headTree, name));
  }

  private merge(chain: Chain): void {
    const below = chain.slice(0, -1);
    const under = below.length === 0 ? this.headTree : cleanTree(this.stacked.get(chainKey(below)));
    if (this.stacked.has(chainKey(chain))) throw new Error(`[${chain}] is known already`);
    this.stacked.set(chainKey(chain), this.result(under, chain.at(-1)!));
  }

  private result(under: string, id: number): StackResult {
    const parts = under.split('+').slice(1);
    if (this.unrelated.has(id)) return { kind: 'error', reason: 'shares no history' };
    if (parts.includes(String(id))) return { kind: 'contained' };
    const has = (other: number | undefined) => parts.includes(String(other));
    const clash = this.clashes.some(([a, b, unless]) => ((a === id && has(b)) || (b === id && has(a))) && !has(unless));
    if (clash) return { kind: 'conflict', report: { files: [] as unknown } as ConflictReport };
    return { kind: 'clean', tree: treeWith(under, String(id)) };
  }
}

function cleanTree(result: StackResult | undefined): string {
  if (result?.kind !== 'clean') throw new Error('a merge onto something that is not known to be clean');
  return result.tree;
}
