import { dice } from './random.ts';
import type { Change, Workload } from './workload.ts';

/** A tree is the set of the changes in it, whatever their order; a change done again after a conflict is another content. */
export interface Tree {
  readonly id: string;
  /** By change, the attempt that is in the tree. */
  readonly has: ReadonlyMap<number, number>;
}

/** All trees of a workload, and the truth about them. */
export class Forest {
  readonly empty: Tree;
  readonly #changes: readonly Change[];
  readonly #projectChecks: readonly string[];
  readonly #seed: string;
  readonly #trees = new Map<string, Tree>();
  readonly #marks = new Map<string, bigint>();
  readonly #reds = new Map<string, ReadonlySet<string>>();
  /** Pairs that are green together after all: the user saw what was landed when committing. */
  readonly #settled = new Set<string>();

  constructor({ seed, changes, userCommits, parameters }: Workload) {
    this.#seed = seed;
    this.#projectChecks = Array.from({ length: parameters.checks }, (_, n) => `check-${n}`);
    this.#changes = [...changes, ...userCommits];
    this.empty = this.#tree(0n, () => new Map());
  }

  get(id: string): Tree | undefined {
    return this.#trees.get(id);
  }

  source(change: number): Change {
    return this.#changes[this.#changes[change]!.source]!;
  }

  with(tree: Tree, change: number, attempt: number): Tree {
    const { id } = this.source(change);
    if (tree.has.has(id)) return tree;
    return this.#tree(BigInt(`0x${tree.id}`) ^ this.#mark(id, attempt), () => new Map(tree.has).set(id, attempt));
  }

  without(tree: Tree, change: number): Tree {
    const attempt = tree.has.get(change);
    if (attempt === undefined) return tree;
    const rest = () => new Map([...tree.has].filter(([id]) => id !== change));
    return this.#tree(BigInt(`0x${tree.id}`) ^ this.#mark(change, attempt), rest);
  }

  /** Whether the check fails on the tree, in whatever edition. */
  isRed(tree: Tree, check: string): boolean {
    return this.#redChecks(tree).has(check.split('@')[0]!);
  }

  /** Needing a change that is not in the tree fails all checks of the project. */
  #redChecks(tree: Tree): ReadonlySet<string> {
    const known = this.#reds.get(tree.id);
    if (known) return known;
    const reds = new Set<string>();
    for (const id of tree.has.keys()) {
      for (const check of this.#blame(id, tree)) reds.add(check);
      if (this.source(id).after.some((needed) => !tree.has.has(this.source(needed).id)))
        for (const check of this.#projectChecks) reds.add(check);
    }
    this.#reds.set(tree.id, reds);
    return reds;
  }

  /** Whether nothing speaks against the change but flakes: good by itself, and with all that the tree has. */
  innocent(change: number, tree: Tree): boolean {
    return this.#blame(this.source(change).id, tree).length === 0;
  }

  /** The user commits on top of the tree and leaves no conflict with it. */
  settle(change: number, tree: Tree): void {
    for (const other of tree.has.keys()) this.#settled.add(`${Math.min(change, other)}-${Math.max(change, other)}`);
  }

  #blame(id: number, tree: Tree): string[] {
    const { fails, semantic } = this.#changes[id]!;
    const pairs = [...semantic].filter(
      ([other]) => tree.has.has(other) && !this.#settled.has(`${Math.min(id, other)}-${Math.max(id, other)}`),
    );
    return [...(fails === undefined ? [] : [fails]), ...pairs.map(([, check]) => check)];
  }

  #tree(id: bigint, has: () => ReadonlyMap<number, number>): Tree {
    const hex = id.toString(16).padStart(32, '0');
    const known = this.#trees.get(hex);
    if (known) return known;
    const tree = { id: hex, has: has() };
    this.#trees.set(hex, tree);
    return tree;
  }

  /** 128 random bits a content: combined by xor, the order of a stack does not matter, as with git for clean merges. */
  #mark(change: number, attempt: number): bigint {
    const key = `${change}/${attempt}`;
    let mark = this.#marks.get(key);
    if (mark === undefined) {
      const roll = dice(`${this.#seed}/${key}`);
      mark = BigInt(
        `0x${Array.from({ length: 4 }, () =>
          Math.floor(roll() * 2 ** 32)
            .toString(16)
            .padStart(8, '0'),
        ).join('')}`,
      );
      this.#marks.set(key, mark);
    }
    return mark;
  }
}
