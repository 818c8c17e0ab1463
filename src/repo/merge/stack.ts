import { setImmediate as nextTick } from 'node:timers/promises';
import { FurrowError } from '../../platform/error.ts';
import { areConnected } from '../../platform/git/connected.ts';
import { type RefValue, resolveAll } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';
import type { Identity } from '../../platform/git/user.ts';
import { limiter } from '../../platform/limit.ts';
import { type Built, buildLanding } from './build-landing.ts';
import { isWhole } from './changes.ts';
import type { StackResult } from './conflict.ts';
import { type Forbids, type Judged, judge, type OpenConflict, type StackEntry } from './judge.ts';
import { closeConflict, type Mender } from './open-conflict.ts';
import { keepShadow, type Shadow, shadowOf } from './shadow.ts';
import { type Entries, keyOf, type Point, Points } from './stack-points.ts';
import type { Carried } from './unpublished.ts';
import { type Drafted, writeCommits } from './write-commits.ts';

export interface StackTerms {
  readonly target: string;
  readonly history: 'merge' | 'linear';
  readonly committer: Identity;
  /** `queue.message`, if it is set. */
  readonly message?: string | undefined;
  /** Called before anything counts as a conflict, on the head or deeper in the stack. */
  readonly mend?: Mender | undefined;
  /** Called with the result of each merge, also a mended one. */
  readonly forbids?: Forbids | undefined;
}

/** Two batches at a time: each is several gits, and a third would only slow the others. */
const BATCHES = 2;

const CLEANED = 'git gc removed states of the queue; they are made again';

/** Opens the stack on a head. `landed`: submitted commits of the newest landings, in case a crash kept them from being remembered. */
export async function openStack(
  repo: Repo,
  terms: StackTerms & { readonly head: string; readonly headTree: string; readonly landed?: readonly string[] },
): Promise<Stack> {
  const shadow = await shadowOf(repo, terms);
  return new Stack(repo, terms, shadow, new Points({ tree: terms.headTree, base: shadow.commit, at: 0, draft: undefined, commits: [] }));
}

/**
 * The states that one head and the entries in the queue can form. Each is computed once; one git computes all that are asked for in the
 * same tick onto the same state. An answer is final; trouble of the machine is thrown.
 */
export class Stack {
  readonly head: string;
  readonly #repo: Repo;
  readonly #terms: StackTerms;
  readonly #points: Points;
  readonly #asked = new Map<string, Promise<StackResult>>();
  readonly #batches = new Map<string, { entries: StackEntry[]; answers: Promise<Judged[]> }>();
  readonly #limit = limiter(BATCHES);
  readonly #built = new Map<string, Built>();
  readonly #written = new Set<string>();
  #shadow: Shadow;

  constructor(repo: Repo, terms: StackTerms, shadow: Shadow, points: Points) {
    this.#repo = repo;
    this.#terms = terms;
    this.#shadow = shadow;
    this.#points = points;
    this.head = shadow.head;
  }

  /** The merges known so far, by the planner's `chainKey`. */
  results(): ReadonlyMap<string, StackResult> {
    return this.#points.results();
  }

  /** Merges the last of a chain onto the rest. */
  merge(chain: Entries): Promise<StackResult> {
    const known = this.#points.result(chain);
    if (known) return Promise.resolve(known);
    const key = keyOf(chain);
    const asked = this.#asked.get(key) ?? this.#merge(chain).finally(() => this.#asked.delete(key));
    this.#asked.set(key, asked);
    return asked;
  }

  async #merge(chain: Entries): Promise<StackResult> {
    const before = chain.slice(0, -1);
    if (before.length > 0) await this.merge(before);
    this.#points.at(before);
    const { result, facts } = await this.#batched(before, chain.at(-1)!);
    if (result.kind === 'failed') throw result.error;
    const final = result.kind === 'open-conflict' ? await this.#resolve(before, result) : result;
    this.#points.add(chain, final, facts?.commits ?? []);
    return final;
  }

  async #resolve(before: Entries, openConflict: OpenConflict): Promise<StackResult> {
    return closeConflict(this.#repo, openConflict, this.#terms.mend).catch((error: unknown) => {
      this.#doubt(before);
      throw error;
    });
  }

  async #batched(before: Entries, entry: StackEntry): Promise<Judged> {
    const key = keyOf(before);
    const batch = this.#batches.get(key) ?? { entries: [], answers: nextTick().then(() => this.#judge(before)) };
    this.#batches.set(key, batch);
    const at = batch.entries.push(entry) - 1;
    return (await batch.answers)[at]!;
  }

  async #judge(before: Entries): Promise<Judged[]> {
    return this.#limit(async () => {
      const key = keyOf(before);
      const { entries } = this.#batches.get(key)!;
      this.#batches.delete(key);
      const path = this.#points.path(before);
      const { tree, base: ours } = path.at(-1)!;
      const { target, forbids } = this.#terms;
      try {
        await this.#write(path.flatMap(({ draft }) => draft ?? []));
        const judged = await judge(this.#repo, { target, head: this.head, ours, tree, onHead: before.length === 0, forbids }, entries);
        if (judged.some(({ result }) => result.kind === 'error')) await this.#assertThere(path);
        if (judged.every(({ result }) => result.kind === 'failed')) this.#doubt(before);
        return judged;
      } catch (error) {
        this.#doubt(before);
        throw error;
      }
    });
  }

  /**
   * Makes sure that the commits exist: for a commit whose parents are gone git reports "no common history", which says nothing of the work.
   */
  async #assertThere(path: readonly Point[]): Promise<void> {
    const made = path.flatMap(({ draft }) => draft?.id ?? []);
    const found = made.length === 0 ? [] : await resolveAll(this.#repo, made);
    if (found.includes(undefined)) throw new FurrowError('GIT_FAILED', CLEANED);
  }

  /** Somebody may have removed objects that no ref holds: the state in question is made again at the next try. */
  #doubt(before: Entries): void {
    this.#written.clear();
    this.#points.retain((chain) => before.length === 0 || chain[0]!.id !== before[0]!.id);
  }

  async #write(drafts: readonly Drafted[]): Promise<void> {
    const fresh = drafts.filter(({ id }) => !this.#written.has(id));
    await writeCommits(this.#repo, fresh);
    for (const { id } of fresh) this.#written.add(id);
  }

  /** Builds the landing of a chain, under checks of these names. Its commit is also the one that is checked out and checked. */
  async build(chain: Entries, checks: readonly string[], carried: Carried = new Map()): Promise<Built> {
    for (const n of chain.keys()) await this.merge(chain.slice(0, n + 1));
    const { built, drafts } = await buildLanding(this.#repo, {
      ...this.#terms,
      chain,
      checks,
      carried,
      points: this.#points.path(chain),
      head: this.head,
      shadow: this.#shadow.commit,
    });
    const before = drafts.filter(({ id }) => this.#written.has(id)).map(({ id }) => id);
    await Promise.all([this.#write(drafts), this.#assertWhole(built, before)]);
    this.#built.set(built.commit, built);
    return built;
  }

  /**
   * Makes sure that everything is there. No ref holds the states of a stack, so a `git gc --prune=now` takes them. Then every check would
   * fail, and landing it would break the target.
   */
  async #assertWhole({ tree }: Built, written: readonly string[]): Promise<void> {
    const step = { before: this.#points.at([]).tree, after: tree };
    if (await isWhole(this.#repo, step, written)) return;
    this.#written.clear();
    this.#points.retain(() => false);
    throw new FurrowError('GIT_FAILED', CLEANED);
  }

  /** The stack on the commit that has landed, with everything that is still true. `undefined`: it was not built here. */
  advance(commit: string): Stack | undefined {
    const built = this.#built.get(commit);
    if (!built) return undefined;
    const start = {
      tree: built.tree,
      base: built.shadow,
      at: Math.max(...built.entries.map(({ at }) => at)),
      draft: built.draft,
      commits: [],
    };
    const shadow = { commit: built.shadow, head: commit, ref: this.#shadow.ref };
    const next = new Stack(this.#repo, this.#terms, shadow, this.#points.after(built.entries, start));
    return next;
  }

  /** False when something behind the head's state is gone. No merge onto it can be computed then; one that is opened anew does without. */
  async isSound(): Promise<boolean> {
    return areConnected(this.#repo, [this.#shadow.commit], [this.head]);
  }

  /** Stores what this head remembers, for later processes. */
  async remember(epoch?: RefValue): Promise<void> {
    this.#shadow = await keepShadow(this.#repo, this.#terms.target, this.#shadow, epoch);
  }

  /** Forgets chains with entries that are not open any more. */
  retain(open: ReadonlySet<number>): void {
    this.#points.retain((chain) => chain.every((entry) => open.has(entry.id)));
  }
}
