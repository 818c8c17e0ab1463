import { createHash } from 'node:crypto';

export type Files = ReadonlyMap<string, string>;

export interface Commit {
  readonly id: string;
  readonly tree: string;
  readonly parents: readonly string[];
  readonly subject: string;
  /** The attempts that it lands. */
  readonly works: readonly { readonly ref: string; readonly attempt: number; readonly agent: string | null }[];
  /** Larger than that of every parent. */
  readonly n: number;
}

const hashed = (text: string) => createHash('sha1').update(text).digest('hex');

/** What a repository holds: trees as paths with their content, commits, and refs. */
export class Objects {
  readonly #trees = new Map<string, Files>();
  readonly #commits = new Map<string, Commit>();
  readonly #refs = new Map<string, string>();
  /** Grows with each move of a ref. */
  moves = 0;

  tree(files: Files): string {
    const id = hashed(JSON.stringify([...files].sort(([a], [b]) => (a < b ? -1 : 1))));
    if (!this.#trees.has(id)) this.#trees.set(id, files);
    return id;
  }

  commit(made: Pick<Commit, 'tree' | 'parents' | 'subject'> & Partial<Pick<Commit, 'works'>>): string {
    const { works = [] } = made;
    const id = hashed(JSON.stringify([made.tree, made.parents, made.subject, works]));
    const n = 1 + Math.max(0, ...made.parents.map((parent) => this.at(parent).n));
    if (!this.#commits.has(id)) this.#commits.set(id, { ...made, works, id, n });
    return id;
  }

  find(name: string): Commit | undefined {
    return this.#commits.get(this.#refs.get(name) ?? name);
  }

  at(name: string): Commit {
    const found = this.find(name);
    if (!found) throw new Error(`the simulated repository has no commit ${name}`);
    return found;
  }

  /** Of a tree, or of a commit. */
  files(name: string): Files {
    return this.#trees.get(name) ?? this.#trees.get(this.at(name).tree)!;
  }

  treeOf(name: string): string {
    return this.#trees.has(name) ? name : this.at(name).tree;
  }

  ref(name: string): string | undefined {
    return this.#refs.get(name);
  }

  /** Only from the value that is expected; `null`: there must be none. */
  move(name: string, to: string, from?: string | null): boolean {
    if (from !== undefined && (this.#refs.get(name) ?? null) !== from) return false;
    this.#refs.set(name, to);
    this.moves++;
    return true;
  }

  drop(name: string): void {
    this.#refs.delete(name);
  }

  refsBelow(prefix: string): { ref: string; oid: string }[] {
    return [...this.#refs].filter(([ref]) => ref.startsWith(prefix)).map(([ref, oid]) => ({ ref, oid }));
  }

  /** What one has and the others have not, the newest first. */
  without(tip: string, others: readonly string[]): Commit[] {
    const found = new Map<string, Commit>();
    const low = others.map((one) => this.at(one).id);
    const go = (id: string) => {
      if (found.has(id) || low.some((other) => this.isAncestor(id, other))) return;
      const commit = this.at(id);
      found.set(id, commit);
      for (const parent of commit.parents) go(parent);
    };
    go(this.at(tip).id);
    return [...found.values()].sort((a, b) => b.n - a.n || (a.id < b.id ? -1 : 1));
  }

  /** From one commit back to what another has, the newest first. */
  firstParents(tip: string, other: string): Commit[] {
    const chain: Commit[] = [];
    for (let at = this.at(tip); !this.isAncestor(at.id, other); at = this.at(at.parents[0]!)) chain.push(at);
    return chain;
  }

  isAncestor(one: string, of: string): boolean {
    const [low, top] = [this.at(one), this.at(of)];
    const seen = new Set<string>();
    const open = [top];
    for (let commit = open.pop(); commit; commit = open.pop()) {
      if (commit.id === low.id) return true;
      if (commit.n <= low.n) continue;
      for (const parent of commit.parents)
        if (!seen.has(parent)) {
          seen.add(parent);
          open.push(this.at(parent));
        }
    }
    return false;
  }

  /** The newest commit that both have. */
  fork(a: string, b: string): string | undefined {
    const seen = new Set<string>();
    const open = [this.at(b)];
    while (open.length > 0) {
      open.sort((x, y) => x.n - y.n);
      const commit = open.pop()!;
      if (this.isAncestor(commit.id, a)) return commit.id;
      for (const parent of commit.parents)
        if (!seen.has(parent)) {
          seen.add(parent);
          open.push(this.at(parent));
        }
    }
    return undefined;
  }

  changed(before: string, after: string): string[] {
    const [a, b] = [this.files(before), this.files(after)];
    return [...new Set([...a.keys(), ...b.keys()])].filter((path) => a.get(path) !== b.get(path)).sort();
  }

  /** By path: a file that only one side changed is theirs, one that both changed differently is a conflict. */
  merge(base: string, ours: string, theirs: string): { tree: string; conflicts: string[] } {
    const [o, a, b] = [this.files(base), this.files(ours), this.files(theirs)];
    const merged = new Map(a);
    const conflicts: string[] = [];
    for (const path of this.changed(base, theirs)) {
      const mine = a.get(path);
      const other = b.get(path);
      if (mine === other) continue;
      if (mine !== o.get(path)) conflicts.push(path);
      else if (other === undefined) merged.delete(path);
      else merged.set(path, other);
    }
    return { tree: this.tree(merged), conflicts };
  }
}
