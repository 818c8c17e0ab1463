import type { Repository, States } from '../../src/daemon/farm/repository.ts';
import { chainKey } from '../../src/queue/snapshot.ts';
import type { Built } from '../../src/repo/merge/build-landing.ts';
import type { StackResult } from '../../src/repo/merge/conflict.ts';
import type { StackEntry } from '../../src/repo/merge/judge.ts';
import type { Objects } from './objects.ts';

type Terms = Parameters<Repository['openStack']>[0];
type Entries = readonly StackEntry[];

const keyOf = (chain: Entries) => chainKey(chain.map(({ id }) => id));

/** The states that a head and the entries in the queue can form, by the simulated repository. */
export class SimStack implements States {
  readonly head: string;
  readonly #objects: Objects;
  readonly #terms: Terms;
  readonly #results: Map<string, StackResult>;
  readonly #built = new Map<string, Built>();

  constructor(objects: Objects, terms: Terms, results = new Map<string, StackResult>()) {
    this.head = terms.head;
    this.#objects = objects;
    this.#terms = terms;
    this.#results = results;
  }

  results(): ReadonlyMap<string, StackResult> {
    return this.#results;
  }

  async merge(chain: Entries): Promise<StackResult> {
    const key = keyOf(chain);
    const known = this.#results.get(key);
    if (known) return known;
    if (chain.length > 1) await this.merge(chain.slice(0, -1));
    const result = this.#merged(chain);
    this.#results.set(key, result);
    return result;
  }

  #treeAt(chain: Entries): string {
    for (let length = chain.length; length > 0; length--) {
      const state = this.#results.get(keyOf(chain.slice(0, length)));
      if (state?.kind === 'clean') return state.tree;
    }
    return this.#objects.at(this.head).tree;
  }

  #merged(chain: Entries): StackResult {
    const entry = chain.at(-1)!;
    if (!this.#objects.find(entry.sha)) return { kind: 'error', reason: `there is no commit ${entry.sha}` };
    const base = this.#objects.fork(this.head, entry.sha);
    if (base === undefined) return { kind: 'error', reason: 'no common history' };
    const ours = this.#treeAt(chain.slice(0, -1));
    const { tree, conflicts } = this.#objects.merge(base, ours, entry.sha);
    if (conflicts.length > 0) return { kind: 'conflict', report: this.#report(entry, base, conflicts) };
    if (tree === ours) return { kind: 'contained' };
    const forbidden = this.#terms.forbids?.(entry, this.#objects.changed(ours, tree));
    return forbidden === undefined ? { kind: 'clean', tree } : { kind: 'error', reason: forbidden, forbidden: true };
  }

  #report({ task, attempt, sha, title }: StackEntry, base: string, paths: readonly string[]) {
    const stages = { '1': null, '2': null, '3': null };
    const theirsTasks = [{ task, intent: title }];
    const files = paths.map((path) => ({ path, kind: 'content', stages, hunks: [], oursTasks: [], theirsTasks }));
    const ref = `refs/furrow/conflict/${task}/${attempt}`;
    const { target } = this.#terms;
    const suggested = `git merge ${this.head}`;
    return { version: 1, task, attempt, target, base, ours: this.head, theirs: sha, ref, files, omitted: 0, suggested } as const;
  }

  async build(chain: Entries): Promise<Built> {
    for (const n of chain.keys()) await this.merge(chain.slice(0, n + 1));
    const steps = chain.map((entry, n) => {
      const some = chain.slice(0, n + 1);
      const tree = this.#treeAt(some);
      const works = some.map(({ task, attempt, agent }) => ({ ref: task, attempt, agent }));
      const parents = [this.head, ...some.map(({ sha }) => sha)];
      const commit = this.#objects.commit({ tree, parents, subject: `land ${some.map(({ task }) => task).join(', ')}`, works });
      return { entry: entry.id, commit, tree };
    });
    const { commit, tree } = steps.at(-1)!;
    const built = { commit, tree, parent: this.head, entries: chain, carries: [], steps, shadow: commit, draft: undefined };
    this.#built.set(commit, built);
    return built;
  }

  advance(commit: string): States | undefined {
    const built = this.#built.get(commit);
    if (!built) return undefined;
    const landed = `${keyOf(built.entries)},`;
    const results = [...this.#results]
      .filter(([key]) => key.startsWith(landed))
      .map(([key, one]) => [key.slice(landed.length), one] as const);
    // A conflict deeper in the stack is reported anew on the head.
    const kept = results.filter(([, { kind }]) => kind === 'clean');
    return new SimStack(this.#objects, { ...this.#terms, head: commit, headTree: built.tree }, new Map(kept));
  }

  async isSound(): Promise<boolean> {
    return true;
  }

  async remember(): Promise<void> {}

  retain(open: ReadonlySet<number>): void {
    for (const key of this.#results.keys()) if (!key.split(',').every((id) => open.has(Number(id)))) this.#results.delete(key);
  }
}
