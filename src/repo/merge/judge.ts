import type { Repo } from '../../platform/git/run.ts';
import { changes } from './changes.ts';
import { type CommitFacts, factsOf } from './commit-facts.ts';
import type { MergeOutput, StackResult } from './conflict.ts';
import { TREE } from './file-modes.ts';
import type { LandedEntry } from './landed-work.ts';
import { type Failed, type Merged, mergeTree, mergeTrees, orFailed } from './merge-tree.ts';
import { asPointerConflict } from './pointer-conflict.ts';
import { madeAgain, putBack } from './put-back.ts';
import { withShadow } from './shadow.ts';
import { refusals } from './unlandable.ts';

/** One submitted attempt, with the facts for merging and landing it. */
export interface StackEntry extends LandedEntry {
  readonly id: number;
  /** The commit pinned at submit. */
  readonly sha: string;
  /** The time it was submitted, in milliseconds. */
  readonly at: number;
  /** Its commits become part of the target's history, where the history has merges. */
  readonly keep: boolean;
  /** Earlier commits of the same work that landed on this target. */
  readonly landedBefore?: readonly string[];
  /** The submitter: only people may change some paths. */
  readonly by?: 'agent' | 'person' | 'furrow';
}

/** The reason why an entry that changes these paths may not land, if there is one. */
export type Forbids = (entry: StackEntry, paths: readonly string[]) => string | undefined;

/** The state that entries are merged onto. */
interface Place {
  readonly target: string;
  readonly head: string;
  /** The commit that stands for it in merges. */
  readonly ours: string;
  readonly tree: string;
  /** True if it is the head itself. A conflict deeper in the stack is only for the planner, so its report is short. */
  readonly onHead: boolean;
  /** Called with the paths that the result of each merge changes. */
  readonly forbids?: Forbids | undefined;
}

/** A conflict that may still be mended. That can take minutes, and no other merge should wait for it. */
export interface OpenConflict {
  readonly kind: 'open-conflict';
  readonly place: Place;
  readonly entry: StackEntry;
  /** The commit that was merged for the entry. */
  readonly theirs: string;
  readonly output: MergeOutput;
}

type Answer = Exclude<StackResult, { kind: 'conflict' }>;

export interface Judged {
  /** Or the trouble of the machine that prevented a result. */
  readonly result: Answer | OpenConflict | Failed;
  /** Missing for a commit that the place already has, and for one that does not exist. */
  readonly facts: CommitFacts | undefined;
}

/** Merges each of the entries onto the same place. Four gits for any number, if all merge and none looks into a file. */
export async function judge(repo: Repo, place: Place, entries: readonly StackEntry[]): Promise<Judged[]> {
  const { ours, target } = place;
  const shas = entries.map((entry) => entry.sha);
  const [merged, facts] = await Promise.all([mergeTrees(repo, { ours, target }, shas), factsOf(repo, ours, shas)]);
  const theirs = [...shas];
  for (const [at, sha] of shas.entries()) {
    const own = facts.get(sha);
    if (own?.merges && ours !== place.head) theirs[at] = await withShadow(repo, ours, own);
    if (theirs[at] !== sha) merged[at] = await orFailed(mergeTree(repo, { ours, target }, theirs[at]!));
  }
  await makeAgain(repo, place, entries, merged, facts);
  const outputs = await vetted(repo, place, entries, merged);
  return entries.map((entry, at) => {
    const output = outputs[at]!;
    const openConflict = { kind: 'open-conflict' as const, place, entry, theirs: theirs[at]! };
    const result = 'error' in output ? output : isOpen(output) ? { ...openConflict, output } : answer(place, output);
    return { result, facts: facts.get(entry.sha) };
  });
}

/**
 * Repeats work that landed and was taken back since: git takes everything in its history for merged. If an entry has nothing else left to
 * merge, or all that landed of it is gone, its change is made again.
 */
async function makeAgain(
  repo: Repo,
  place: Place,
  entries: readonly StackEntry[],
  merged: (Merged | Failed)[],
  facts: Map<string, CommitFacts>,
): Promise<void> {
  for (const [at, { sha, by, landedBefore = [] }] of entries.entries()) {
    const seen = merged[at]!;
    const there = seen.kind === 'merged' && seen.output.clean && seen.output.tree === place.tree && !facts.has(sha);
    for (const landed of there ? [sha] : facts.has(sha) ? landedBefore : []) {
      const gone = await putBack(repo, place, sha, landed, by === 'person');
      if (!gone || !(there || gone.whole)) continue;
      merged[at] = await orFailed(madeAgain(repo, place, sha, gone));
      for (const one of (await factsOf(repo, gone.fork, [sha])).values()) facts.set(sha, one);
      break;
    }
  }
}

type Vetted = MergeOutput | Refused | Failed;

interface Refused {
  readonly refused: string;
  readonly forbidden?: true;
}

const isOpen = (output: Vetted): output is MergeOutput => 'tree' in output && !output.clean;

/** Examines merges that git calls clean: one may be forbidden, or a conflict after all. */
async function vetted(repo: Repo, place: Place, entries: readonly StackEntry[], merged: readonly (Merged | Failed)[]): Promise<Vetted[]> {
  const found: Vetted[] = merged.map((one) =>
    one.kind === 'merged' ? one.output : one.kind === 'refused' ? { refused: one.reason } : one,
  );
  const clean = found.flatMap((output, at) => ('tree' in output && output.clean && output.tree !== place.tree ? [{ at, output }] : []));
  const steps = clean.map(({ output }) => ({ before: place.tree, after: output.tree }));
  const all = await changes(repo, steps);
  const refused = await refusals(
    repo,
    steps.map((step, n) => ({ step, changes: all[n]! })),
  );
  for (const [n, { at, output }] of clean.entries()) {
    const reason = refused[n];
    const forbidden = place.forbids?.(
      entries[at]!,
      all[n]!.filter(({ mode }) => mode !== TREE).map(({ path }) => path),
    );
    const sides = { ours: place.ours, theirs: entries[at]!.sha };
    if (reason !== undefined) found[at] = { refused: reason };
    else if (forbidden !== undefined) found[at] = { refused: forbidden, forbidden: true };
    else found[at] = await asPointerConflict(repo, sides, output, all[n]!);
  }
  return found;
}

function answer(place: Place, output: MergeOutput | Refused): Answer {
  if ('refused' in output) return { kind: 'error', reason: output.refused, ...(output.forbidden && { forbidden: true }) };
  return output.tree === place.tree ? { kind: 'contained' } : { kind: 'clean', tree: output.tree };
}

/** Examines a tree made from an open conflict like one that git calls clean. `undefined`: it may not land. */
export async function vetResolved(repo: Repo, { place, entry, output }: OpenConflict, tree: string): Promise<Answer | undefined> {
  // An unchanged state would mean that one side was simply dropped.
  if (tree === place.tree) return undefined;
  const [found] = await vetted(repo, place, [entry], [{ kind: 'merged', output: { ...output, clean: true, tree } }]);
  return !found || 'error' in found || isOpen(found) ? undefined : answer(place, found);
}
