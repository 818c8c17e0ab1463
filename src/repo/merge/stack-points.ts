import type { WorkCommit } from './commit-facts.ts';
import type { StackResult } from './conflict.ts';
import type { StackEntry } from './judge.ts';
import { draftStep } from './shadow.ts';
import type { Drafted } from './write-commits.ts';

/** Entries in the order in which they are stacked on the head; none: the head itself. */
export type Entries = readonly StackEntry[];

/** Entries by their ids: the same text as the planner's `chainKey`. */
export const keyOf = (chain: Entries) => chain.map((entry) => entry.id).join(',');

/** A state of the stack: a tree, and the commit that stands for it in merges, which need not be written yet. */
export interface Point {
  readonly tree: string;
  readonly base: string;
  readonly at: number;
  readonly draft: Drafted | undefined;
  /** The commits that its last entry brings, oldest first, without merges. */
  readonly commits: readonly WorkCommit[];
}

interface Known {
  readonly chain: Entries;
  readonly result: StackResult;
  readonly point: Point | undefined;
}

/** Everything that is known of the states on one head. It runs no git. */
export class Points {
  readonly #start: Point;
  readonly #known = new Map<string, Known>();

  constructor(start: Point) {
    this.#start = start;
  }

  result(chain: Entries): StackResult | undefined {
    return this.#known.get(keyOf(chain))?.result;
  }

  results(): Map<string, StackResult> {
    return new Map([...this.#known].map(([key, { result }]) => [key, result]));
  }

  /** The state that a chain gives; it exists only if all of the chain merges. */
  at(chain: Entries): Point {
    const point = chain.length === 0 ? this.#start : this.#known.get(keyOf(chain))?.point;
    if (!point) throw new Error(`${keyOf(chain)} is not a state of the stack`);
    return point;
  }

  /** The states on the way to a chain, the head first, the chain itself last. */
  path(chain: Entries): Point[] {
    return [[], ...chain.map((_, n) => chain.slice(0, n + 1))].map((prefix) => this.at(prefix));
  }

  add(chain: Entries, result: StackResult, commits: readonly WorkCommit[]): void {
    this.#known.set(keyOf(chain), { chain, result, point: this.#pointOf(chain, result, commits) });
  }

  #pointOf(chain: Entries, result: StackResult, commits: readonly WorkCommit[]): Point | undefined {
    if (result.kind !== 'clean' && result.kind !== 'contained') return undefined;
    const before = this.at(chain.slice(0, -1));
    const { sha, at: submitted } = chain.at(-1)!;
    const at = Math.max(before.at, submitted);
    const tree = result.kind === 'clean' ? result.tree : before.tree;
    const draft = draftStep(before.base, sha, tree, at);
    return { tree, base: draft.id, at, draft, commits };
  }

  /**
   * The same states seen from the head that landing `chain` made. The trees stay valid: the new head has the chain's tree, and nothing in
   * the queue has the new head as an ancestor. Their commits are made again, so that work which starts from the new head finds it. Short
   * reports are asked for again, now that somebody may read them.
   */
  after(chain: Entries, start: Point): Points {
    const next = new Points(start);
    for (const known of this.#known.values()) {
      const rest = known.chain.slice(chain.length);
      const within = rest.length > 0 && chain.every((entry, n) => entry.id === known.chain[n]!.id);
      if (within && !(rest.length === 1 && known.result.kind === 'conflict')) next.add(rest, known.result, known.point?.commits ?? []);
    }
    return next;
  }

  /** Keeps the chains that pass. When a chain goes, all longer chains that begin with it must go too. */
  retain(keeps: (chain: Entries) => boolean): void {
    for (const [key, { chain }] of this.#known) if (!keeps(chain)) this.#known.delete(key);
  }
}
