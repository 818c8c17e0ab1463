import type { EntryState } from '../../src/journal/rows/entry.ts';
import {
  type Chain,
  type CheckRun,
  type CheckSpec,
  chainKey,
  NO_NOTES,
  type QueueNotes,
  type QueueSnapshot,
  type StackResult,
} from '../../src/queue/snapshot.ts';
import type { ConflictReport } from '../../src/repo/merge/conflict.ts';
import { Forest, type Tree } from './tree.ts';
import { type Rule, Violation } from './violation.ts';
import { type Change, type Order, ownCheck, type UserCommit, type Workload } from './workload.ts';

export interface OpenEntry {
  readonly id: number;
  readonly change: Change;
  readonly attempt: number;
  /** Changes on the head when it was submitted again: it was merged with them by hand. */
  readonly resolved: ReadonlySet<number>;
  state: EntryState;
  awaitsYes: boolean;
}

export interface RunningCheck {
  readonly tree: Tree;
  readonly check: string;
  /** Time that it still needs, alone on the machine. */
  left: number;
}

type Unclean = Exclude<StackResult, { kind: 'clean' }>;

export const taskOf = (change: { id: number }) => `sim/${change.id}`;

const spec = (id: string): CheckSpec => ({ id, name: id, run: 'true', timeoutMs: 1000, env: {} });

/** What the daemon, git and the agents know and keep; the planner sees of it only what `snapshot` tells. */
export class World {
  readonly workload: Workload;
  readonly forest: Forest;
  readonly projectChecks: string[];
  readonly open = new Map<number, OpenEntry>();
  readonly landedTasks = new Set<string>();
  /** Changes whose task will never land, so nothing that needs them will. */
  readonly gone = new Set<number>();
  readonly running: RunningCheck[] = [];
  readonly stacked = new Map<string, StackResult>();
  readonly record = { passes: 0, fails: 0 };
  /** Trees that the head ever had. */
  readonly heads = new Set<string>();
  slots: number;
  paused = false;
  head = 0;
  headTree: Tree;
  runs: CheckRun[] = [];
  notes: QueueNotes = NO_NOTES;
  #entries = 0;
  #seen: CheckRun[] = [];
  #forgiven = 0;
  readonly #neighbours: readonly (readonly number[])[];

  constructor(workload: Workload) {
    this.workload = workload;
    this.forest = new Forest(workload);
    this.headTree = this.forest.empty;
    this.heads.add(this.headTree.id);
    this.projectChecks = Array.from({ length: workload.parameters.checks }, (_, n) => `check-${n}`);
    this.slots = workload.parameters.slots;
    this.#neighbours = workload.changes.map(({ id, modules }) =>
      workload.changes.filter((other) => other.id !== id && [...other.modules].some((one) => modules.has(one))).map((other) => other.id),
    );
  }

  cry(rule: Rule, detail: string): never {
    throw new Violation(rule, detail, this.workload.seed);
  }

  submit(change: Change, attempt: number): void {
    const resolved = new Set(attempt > 1 ? this.headTree.has.keys() : []);
    const id = ++this.#entries;
    // A yes is for one submitted commit: a new attempt needs a new one.
    this.open.set(id, { id, change, attempt, resolved, state: 'queued', awaitsYes: change.yesAfter !== undefined });
  }

  /** The tree of a chain on the head, or what came in its way. */
  tree(chain: Chain): Tree | Unclean {
    let tree: Tree | Unclean = this.headTree;
    for (const id of chain) {
      tree = this.merge(tree, id);
      if ('kind' in tree) return tree;
    }
    return tree;
  }

  merge(tree: Tree, id: number): Tree | Unclean {
    const entry = this.open.get(id);
    if (!entry) return { kind: 'error', reason: `entry ${id} is not open` };
    if (entry.change.unrelated) return { kind: 'error', reason: 'no common history' };
    const source = this.forest.source(entry.change.id);
    if (tree.has.has(source.id)) return { kind: 'contained' };
    for (const other of source.textual)
      if (tree.has.has(other) && !entry.resolved.has(other)) return { kind: 'conflict', report: report(entry, `h${this.head}`) };
    return this.forest.with(tree, source.id, entry.attempt);
  }

  /** Whether it is a question at all: what is before the last is known to be clean, or the head. */
  canStack(chain: Chain): boolean {
    const rest = chain.slice(0, -1);
    return (
      chain.every((id) => this.open.has(id)) &&
      chain.length > 0 &&
      (rest.length === 0 || this.stacked.get(chainKey(rest))?.kind === 'clean')
    );
  }

  /** Answers the merge of the last of a chain onto the rest. */
  stack(chain: Chain): void {
    const known = this.stacked.get(chainKey(chain.slice(0, -1)));
    const tree = this.merge(known?.kind === 'clean' ? this.forest.get(known.tree)! : this.headTree, chain.at(-1)!);
    this.stacked.set(chainKey(chain), 'kind' in tree ? tree : { kind: 'clean', tree: tree.id });
  }

  checksOf(chain: Chain): string[] {
    const own = chain.map((id) => this.open.get(id)!.change).filter((change) => change.own);
    return [...this.projectChecks, ...own.map(ownCheck)];
  }

  /** Moves the head by a landing: what was merged on top of these entries is merged onto the new head. */
  advance(landed: Chain, tree: Tree): void {
    const known = [...this.stacked];
    this.moveHead(tree);
    const prefix = `${chainKey(landed)},`;
    for (const [key, result] of known) if (key.startsWith(prefix)) this.stacked.set(key.slice(prefix.length), result);
  }

  moveHead(tree: Tree): void {
    this.head++;
    this.headTree = tree;
    this.heads.add(tree.id);
    this.stacked.clear();
  }

  userCommits(commit: UserCommit): void {
    this.forest.settle(commit.id, this.headTree);
    this.moveHead(this.forest.with(this.headTree, commit.id, 1));
  }

  obey(order: Order): void {
    if (order.is === 'slots') this.slots = order.slots;
    else if (order.is === 'edited') this.projectChecks[order.check] = `check-${order.check}@${order.at}`;
    else this.paused = order.is === 'paused';
  }

  crash(): void {
    this.running.length = 0;
    this.stacked.clear();
    this.notes = NO_NOTES;
  }

  ran(run: Omit<CheckRun, 'id'>): void {
    this.runs = [...this.runs, { id: this.runs.length + 1, ...run }];
    this.#seen = this.runs.filter(({ id, outcome }) => outcome === 'pass' || id > this.#forgiven);
  }

  /** The human looked at a halt and says: go on. */
  forgive(): void {
    this.#forgiven = this.runs.length;
    this.#seen = this.runs.filter(({ outcome }) => outcome === 'pass');
  }

  snapshot(): QueueSnapshot {
    const { parameters, changes } = this.workload;
    const waiting = new Set([...this.open.values()].map(({ change }) => change.id));
    return {
      head: `h${this.head}`,
      headTree: this.headTree.id,
      entries: [...this.open.values()].map(({ id, change, attempt, state, awaitsYes }) => ({
        id,
        task: taskOf(change),
        attempt,
        sha: `${change.id}/${attempt}`,
        after: change.after.map((needed) => taskOf(changes[needed]!)),
        state,
        at: change.arrives,
        own: change.own ? [spec(ownCheck(change))] : [],
        priority: change.priority,
        awaitsYes,
        overlaps: this.#neighbours[change.id]!.filter((other) => waiting.has(other)).length,
      })),
      landedTasks: this.landedTasks,
      stacked: this.stacked,
      runs: this.#seen,
      checks: this.projectChecks.map(spec),
      running: this.running.map(({ tree, check }) => ({ tree: tree.id, check })),
      retries: parameters.retries,
      slots: this.slots,
      batch: parameters.batch,
      record: this.record,
      paused: this.paused,
      notes: this.notes,
    };
  }
}

function report({ change, attempt }: OpenEntry, head: string): ConflictReport {
  const sides = { base: null, ours: head, theirs: `${change.id}/${attempt}`, ref: `refs/furrow/conflict/${change.id}` };
  return { version: 1, task: taskOf(change), attempt, target: 'main', ...sides, files: [], omitted: 0, suggested: 'git merge main' };
}
