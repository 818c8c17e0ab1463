import { contentsOf, NotThere } from './objects.ts';
import type { LastingGit } from './process.ts';

export interface Commit {
  readonly id: string;
  readonly parents: readonly string[];
  readonly date: number;
}

/** Commits that were read. The content of an id never changes; whether it is still there is asked each time. */
const known = new Map<string, Commit>();
const MOST_KNOWN = 50_000;
/** The longest walk here. A longer one needs a git of its own, which has the commit graph. Attempts stay far below both bounds. */
const MOST_READ = 200;
const MOST_VISITED = 5000;

/** Commits that git looks at beyond the last that counts, for clocks that went a little backwards. */
const SLOP = 5;

const [ONE, TWO, STALE] = [1, 2, 4] as const;
const COMMON = ONE | TWO;

/** History painted from two sides, youngest commits first, until nothing can change any more. */
class Painting {
  readonly flags = new Map<string, number>();
  readonly results = new Set<string>();
  readonly #git: LastingGit;
  readonly #signal: AbortSignal;
  #queue: Commit[] = [];
  #read = 0;

  constructor(git: LastingGit, signal: AbortSignal) {
    this.#git = git;
    this.#signal = signal;
  }

  async begin(ids: readonly string[], flag: number): Promise<void> {
    for (const commit of await this.#commits(ids)) this.#mark(commit, flag);
  }

  /** Goes on while `open` says so of the commits that are left, and for `slop` commits more. */
  async run(open: (left: readonly Commit[], flags: ReadonlyMap<string, number>) => boolean, slop = 0): Promise<void> {
    for (let more = slop; this.#queue.length > 0; ) {
      more = open(this.#queue, this.flags) ? slop : more - 1;
      if (more < 0) return;
      const commit = this.#youngest();
      let flags = this.flags.get(commit.id)!;
      if ((flags & COMMON) === COMMON && (flags & STALE) === 0) {
        this.results.add(commit.id);
        flags |= STALE;
      }
      for (const parent of await this.#commits(commit.parents)) {
        // Where clocks went backwards, git has rules of its own.
        if (parent.date > commit.date) throw new NotThere('a parent is younger than its child');
        this.#mark(parent, flags);
      }
      if (this.flags.size > MOST_VISITED) throw new NotThere('a long way');
    }
  }

  #mark(commit: Commit, flags: number): void {
    const before = this.flags.get(commit.id) ?? 0;
    if ((before & flags) === flags) return;
    this.flags.set(commit.id, before | flags);
    this.#queue.push(commit);
  }

  #youngest(): Commit {
    const at = this.#queue.reduce((best, commit, n) => (commit.date > this.#queue[best]!.date ? n : best), 0);
    return this.#queue.splice(at, 1)[0]!;
  }

  async #commits(ids: readonly string[]): Promise<Commit[]> {
    const unknown = [...new Set(ids.filter((id) => !known.has(id)))];
    this.#read += unknown.length;
    if (this.#read > MOST_READ) throw new NotThere('a long way');
    if (known.size > MOST_KNOWN) known.clear();
    const fresh = new Map<string, Commit>();
    if (unknown.length > 0)
      for (const { oid, type, bytes } of await contentsOf(this.#git, unknown, this.#signal)) {
        if (type !== 'commit') throw new NotThere('no commit');
        fresh.set(oid, parse(oid, bytes.toString('latin1')));
      }
    for (const [id, commit] of fresh) known.set(id, commit);
    return ids.map((id) => fresh.get(id) ?? known.get(id)!);
  }
}

function parse(id: string, text: string): Commit {
  const head = text.slice(0, text.indexOf('\n\n') + 1);
  const date = Number(/^committer .*> (\d+) [+-]\d+$/m.exec(head)?.[1]);
  if (Number.isNaN(date)) throw new NotThere('a commit without a date');
  return { id, parents: [...head.matchAll(/^parent ([0-9a-f]+)$/gm)].map((found) => found[1]!), date };
}

const notStale = (left: readonly Commit[], flags: ReadonlyMap<string, number>) => left.some(({ id }) => (flags.get(id)! & STALE) === 0);

/** The best common ancestor, if there is exactly one. Otherwise git answers. */
export async function mergeBase(git: LastingGit, a: string, b: string, signal: AbortSignal): Promise<string> {
  const painting = await paint(git, a, b, signal);
  const best = [...painting.results].filter((id) => (painting.flags.get(id)! & STALE) === 0);
  if (best.length !== 1) throw new NotThere('not one merge base');
  return best[0]!;
}

export async function isAncestor(git: LastingGit, ancestor: string, of: string, signal: AbortSignal): Promise<boolean> {
  const { flags } = await paint(git, ancestor, of, signal);
  return (flags.get(ancestor)! & TWO) !== 0;
}

async function paint(git: LastingGit, a: string, b: string, signal: AbortSignal): Promise<Painting> {
  const painting = new Painting(git, signal);
  await painting.begin([a], ONE);
  await painting.begin([b], TWO);
  await painting.run(notStale);
  return painting;
}

/** The commits that `tips` have and `others` have not, in no order. */
export async function beyond(git: LastingGit, tips: readonly string[], others: readonly string[], signal: AbortSignal): Promise<Commit[]> {
  const painting = new Painting(git, signal);
  await painting.begin(tips, ONE);
  await painting.begin(others, TWO);
  const { flags } = painting;
  const own = () => [...flags].flatMap(([id, flag]) => ((flag & TWO) === 0 ? [known.get(id)!] : []));
  // A commit that is left and as young as one that counts may still lead to it.
  await painting.run((left) => {
    const oldest = Math.min(...own().map(({ date }) => date));
    return left.some(({ id, date }) => (flags.get(id)! & TWO) === 0 || date >= oldest);
  }, SLOP);
  return own();
}
