import type { EntryState } from '../src/journal/schema.ts';
import { nextEpoch } from '../src/merge/epoch.ts';
import type { StackEntry } from '../src/merge/judge.ts';
import { headRef, land } from '../src/merge/land.ts';
import { openStack, type Stack } from '../src/merge/stack.ts';
import { createRef, type RefValue, treeOf } from '../src/platform/git/refs.ts';
import { identityOf } from '../src/platform/git/repository.ts';
import type { Repo } from '../src/platform/git/run.ts';
import type { QueuePlan } from '../src/queue/plan.ts';
import { type Chain, type CheckRun, type CheckSpec, NO_NOTES, type QueueNotes, type QueueSnapshot } from '../src/queue/snapshot.ts';
import type { Policy } from '../test/sim/simulate.ts';
import type { Slots } from './queue-slots.ts';

export interface Submitted extends StackEntry {
  readonly after: readonly string[];
}

export interface Terms {
  readonly policy: Policy;
  readonly batch: number;
  readonly retries: number;
  readonly check: CheckSpec;
}

const TARGET = 'main';

/**
 * Drives any policy over real merges, checks and landings, without a daemon: the part of a queue that is the same for all.
 * Everything is submitted before it begins, and nothing that was handed back comes again.
 */
export class Executor {
  readonly ends = new Map<number, EntryState>();
  readonly #repo: Repo;
  readonly #terms: Terms;
  readonly #slots: Slots;
  readonly #entries: Map<number, Submitted>;
  readonly #states = new Map<number, EntryState>();
  readonly #landed = new Set<string>();
  readonly #runs: CheckRun[] = [];
  #notes: QueueNotes = NO_NOTES;
  #stack!: Stack;
  #epoch!: RefValue;
  #tree = '';

  constructor(repo: Repo, terms: Terms, slots: Slots, entries: readonly Submitted[]) {
    this.#repo = repo;
    this.#terms = terms;
    this.#slots = slots;
    this.#entries = new Map(entries.map((entry) => [entry.id, entry]));
  }

  /** Until nothing moves any more. */
  async run(head: string): Promise<void> {
    await createRef(this.#repo, headRef(TARGET), head);
    this.#epoch = await nextEpoch(this.#repo);
    this.#tree = await treeOf(this.#repo, head);
    const committer = await identityOf(this.#repo);
    this.#stack = await openStack(this.#repo, { target: TARGET, history: 'merge', committer, head, headTree: this.#tree });
    for (;;) {
      if (await this.#carryOut(this.#terms.policy(this.#snapshot()))) continue;
      if (this.#slots.running.length === 0) return;
      this.#runs.push({ id: this.#runs.length + 1, ...(await this.#slots.next()) });
    }
  }

  /** Does what a plan says. `true`: the world has changed by it, and the plan has to be made again. */
  async #carryOut(plan: QueuePlan): Promise<boolean> {
    this.#notes = plan.notes;
    if (plan.stack.length > 0) {
      // As the daemon does: whole segments do not wait for those behind, and what has ended meanwhile is taken in.
      for (const { tree, chain, check } of plan.checks.filter(({ purpose }) => purpose === 'chain'))
        this.#slots.start({ tree, check, commit: await this.#commit(chain) });
      await Promise.all(plan.stack.map((chain) => this.#stack.merge(this.#chain(chain))));
      for (const run of await this.#slots.ready()) this.#runs.push({ id: this.#runs.length + 1, ...run });
      return true;
    }
    for (const { entry, state } of plan.states) this.#states.set(entry, state);
    for (const id of plan.contained) this.#end(id, 'landed');
    for (const { entry } of [...plan.handback, ...plan.refuse]) this.#end(entry, 'conflict');
    for (const { entry } of plan.reject) this.#end(entry, 'rejected');
    for (const { tree } of plan.cancel) await this.#slots.cancel(tree);
    if (plan.land) await this.#land(plan.land.entries);
    if (plan.land || plan.contained.length + plan.handback.length + plan.refuse.length + plan.reject.length > 0) return true;
    for (const { tree, chain, check } of plan.checks) this.#slots.start({ tree, check, commit: await this.#commit(chain) });
    return false;
  }

  async #commit(chain: Chain): Promise<string> {
    if (chain.length === 0) return this.#stack.head;
    return (await this.#stack.build(this.#chain(chain), [this.#terms.check.name])).commit;
  }

  async #land(ids: Chain): Promise<void> {
    const { commit, tree, parent } = await this.#stack.build(this.#chain(ids), [this.#terms.check.name]);
    const moved = await land(this.#repo, { ref: headRef(TARGET), old: parent, new: commit, parent, epoch: this.#epoch });
    if (!moved.moved) throw new Error(`the head is at ${moved.at}: somebody else moves it`);
    const next = this.#stack.advance(commit);
    if (!next) throw new Error(`${commit} was not built here`);
    this.#stack = next;
    this.#tree = tree;
    for (const id of ids) this.#end(id, 'landed');
  }

  #end(id: number, state: EntryState): void {
    this.ends.set(id, state);
    if (state === 'landed') this.#landed.add(this.#entries.get(id)!.task);
    this.#entries.delete(id);
  }

  #chain(ids: Chain): Submitted[] {
    return ids.map((id) => this.#entries.get(id)!);
  }

  #snapshot(): QueueSnapshot {
    const { batch, retries, check } = this.#terms;
    const ended = [...this.ends.values()];
    return {
      head: this.#stack.head,
      headTree: this.#tree,
      entries: [...this.#entries.values()].map(({ id, task, attempt, sha, after, at }) => ({
        ...{ id, task, attempt, sha, after, at },
        state: this.#states.get(id) ?? 'queued',
        own: [],
        priority: 0,
        overlaps: 0,
      })),
      landedTasks: this.#landed,
      stacked: this.#stack.results(),
      runs: this.#runs,
      checks: [check],
      running: this.#slots.running,
      retries,
      slots: this.#slots.count,
      batch,
      record: { passes: this.#landed.size, fails: ended.filter((state) => state === 'rejected').length },
      paused: false,
      notes: this.#notes,
    };
  }
}
