import type { GitOptions, Repo } from '../../platform/git/run.ts';
import { basesOf } from './bases.ts';
import { type Clash, type Merge, tryMerges } from './merges.ts';
import { mayClash, NO_PATHS, type Paths, pathsOf, type Since, wasMoved } from './paths.ts';
import { objectsIn } from './scratch-objects.ts';

/** A live branch: an agent's work, or an entry's pinned commit. */
export interface Tip {
  /** Its name in the answer, which is its task; unique. */
  readonly name: string;
  readonly commit: string;
  /** The folder of objects that the commit needs besides the repository's. */
  readonly objects?: string | undefined;
}

/** The answer of `furrow conflicts`. Each pair once, `a` before `b`; all lists sorted. */
export interface Conflicts {
  readonly pairs: readonly { readonly a: string; readonly b: string; readonly paths: readonly string[] }[];
  readonly with_target: readonly { readonly task: string; readonly paths: readonly string[] }[];
}

interface Matrix {
  update(head: string, tips: readonly Tip[], signal?: AbortSignal): Promise<Conflicts>;
  paths(): ReadonlyMap<string, ReadonlySet<string>>;
}

/** A branch with the paths that it touched since it parted from the head, and those that the head touched since. */
interface Side extends Tip {
  readonly base: string | undefined;
  readonly own: Paths;
  readonly target: Paths;
  /** The target may have moved files that it works on. */
  readonly moved: boolean;
}

interface State {
  readonly head: string;
  readonly tips: readonly Tip[];
  readonly sides: readonly Side[];
  /** By `mergeKey`: two commits that conflict always do. */
  readonly clashes: ReadonlyMap<string, readonly string[]>;
  readonly answer: Conflicts;
}

const mergeKey = ({ ours, theirs }: Merge) => `${ours} ${theirs}`;
const sinceKey = ({ commit, base }: Since) => `${commit} ${base}`;

/** `scratch` is a folder of ours for what merges write; `width` how many gits may run at a time. */
export function createMatrix(repo: Repo, { scratch, width }: { scratch: string; width: number }): Matrix {
  let state: State | undefined;
  const seen = new Map<string, Paths>();
  return {
    paths: () => new Map(state?.sides.map(({ name, own }) => [name, own.files])),
    async update(head, given, signal) {
      const tips = given.toSorted((a, b) => (a.name < b.name ? -1 : 1));
      if (state && state.head === head && sameTips(state.tips, tips)) return state.answer;
      const objects = [...new Set(tips.flatMap((tip) => tip.objects ?? []))];
      // It only reads: if the repository has all the objects, a lasting git answers.
      const options: GitOptions = { ...(objects.length > 0 && { env: objectsIn(repo, scratch, objects) }), ...(signal && { signal }) };
      const sides = await sidesOf(repo, head, tips, { known: state, seen, options });
      const wanted = mergesOf(head, sides);
      const open = [...wanted.values()].filter((merge) => !state?.clashes.has(mergeKey(merge)));
      const found = await tryMerges(repo, open, { scratch, objects, signal, width });
      const clashes = answered(wanted, state?.clashes, open, found);
      state = { head, tips, sides, clashes, answer: answerOf(head, sides, clashes) };
      return state.answer;
    },
  };
}

const sameTips = (a: readonly Tip[], b: readonly Tip[]) =>
  a.length === b.length && a.every(({ name, commit }, i) => name === b[i]?.name && commit === b[i]?.commit);

interface Known {
  readonly known: State | undefined;
  /** Paths by `sinceKey`, pruned to those in use. */
  readonly seen: Map<string, Paths>;
  readonly options: GitOptions;
}

/** One `rev-list` and one `diff-tree` for everything new; none when every commit and the head are known. */
async function sidesOf(repo: Repo, head: string, tips: readonly Tip[], { known, seen, options }: Known): Promise<Side[]> {
  const before = known?.head === head ? known.sides : [];
  const found = new Map(before.map(({ commit, base }) => [commit, base]));
  const fresh = tips.filter(({ commit }) => !found.has(commit));
  const learn = async (all: readonly Since[]) => {
    const unknown = all.filter((since) => since.commit !== since.base && !seen.has(sinceKey(since)));
    const lists = await pathsOf(repo, unknown, options);
    for (const [i, since] of unknown.entries()) seen.set(sinceKey(since), lists[i] ?? NO_PATHS);
  };
  // A branch that grows usually parted where it did before. With that guess the two gits run side by side; a wrong guess costs nothing.
  const bases = new Map(before.map(({ name, base }) => [name, base]));
  const guesses = fresh.flatMap(({ name, commit }) => ({ commit, base: bases.get(name) ?? commit }));
  const commits = [...new Set(fresh.map(({ commit }) => commit))];
  const [parted] = await Promise.all([basesOf(repo, head, commits, options), learn(guesses).catch(() => {})]);
  for (const [commit, base] of parted) found.set(commit, base);

  const sides = tips.map((tip) => ({ ...tip, base: found.get(tip.commit) }));
  const needed = sides.flatMap(({ commit, base }) =>
    base && base !== commit
      ? [
          { commit, base },
          { commit: head, base },
        ]
      : [],
  );
  await learn(needed);
  const keys = new Set(needed.map(sinceKey));
  for (const key of seen.keys()) if (!keys.has(key)) seen.delete(key);
  const paths = (commit: string, base: string | undefined) => (base && seen.get(sinceKey({ commit, base }))) || NO_PATHS;
  return sides.map((side) => {
    const [own, target] = [paths(side.commit, side.base), paths(head, side.base)];
    return { ...side, own, target, moved: wasMoved(own, target) };
  });
}

/** The merges that can conflict, by `mergeKey`: branches with each other, and with the head. */
function mergesOf(head: string, sides: readonly Side[]): Map<string, Merge> {
  const wanted = new Map<string, Merge>();
  const want = (ours: string, theirs: string) => wanted.set(mergeKey({ ours, theirs }), { ours, theirs });
  for (const [i, side] of sides.entries()) {
    if (mayClash(side.own, side.target)) want(head, side.commit);
    for (const other of sides.slice(i + 1)) {
      const renamed = side.base !== other.base && (side.moved || other.moved);
      if (side.commit !== other.commit && (renamed || mayClash(side.own, other.own))) want(side.commit, other.commit);
    }
  }
  return wanted;
}

/** Joins the earlier results that are still needed with the new ones. A merge that could not be tried is tried at the next change. */
function answered(
  wanted: ReadonlyMap<string, Merge>,
  known: State['clashes'] | undefined,
  open: readonly Merge[],
  found: readonly Clash[],
): Map<string, readonly string[]> {
  const clashes = new Map([...(known ?? [])].filter(([key]) => wanted.has(key)));
  for (const [i, merge] of open.entries()) {
    const clash = found[i];
    if (clash) clashes.set(mergeKey(merge), clash);
  }
  return clashes;
}

function answerOf(head: string, sides: readonly Side[], clashes: State['clashes']): Conflicts {
  const of = (ours: string, theirs: string) => clashes.get(mergeKey({ ours, theirs })) ?? [];
  const pairs = sides.flatMap((a, i) =>
    sides.slice(i + 1).flatMap((b) => {
      const paths = of(a.commit, b.commit).filter((path) => !isTargets(path, a, b));
      return paths.length > 0 ? [{ a: a.name, b: b.name, paths }] : [];
    }),
  );
  const with_target = sides.flatMap(({ name, commit }) => {
    const paths = of(head, commit);
    return paths.length > 0 ? [{ task: name, paths }] : [];
  });
  return { pairs, with_target };
}

/**
 * True when a conflict on a path is with the target and not between two branches. Branches that parted from the head at different times
 * also differ by what landed between. If only one of them touched such a path, it conflicts with the target and is reported so; unless the
 * other branch knows the file by its former name.
 */
function isTargets(path: string, a: Side, b: Side): boolean {
  if (a.base === b.base || !(a.target.files.has(path) || b.target.files.has(path))) return false;
  const [inA, inB] = [a.own.files.has(path), b.own.files.has(path)];
  return !((inA && inB) || (inA && b.moved) || (inB && a.moved));
}
