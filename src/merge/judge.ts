import type { Repo } from '../platform/git/run.ts';
import { withShadow } from './ancestry.ts';
import { changes } from './changes.ts';
import type { MergeOutput, StackResult } from './conflict.ts';
import { type CommitFacts, factsOf } from './facts.ts';
import { type Failed, type Merged, mergeTree, mergeTrees, settled } from './merge-tree.ts';
import type { LandedEntry } from './message.ts';
import { asPointerConflict } from './pointer.ts';
import { refusals } from './refuse.ts';
import { fullReport, shortReport } from './report.ts';

/** One submitted attempt, as far as merging and landing it goes. */
export interface StackEntry extends LandedEntry {
  readonly id: number;
  /** The commit pinned at submit. */
  readonly sha: string;
  /** When it was submitted, in milliseconds. */
  readonly at: number;
  /** Its commits become part of the target's history, where the history has merges. */
  readonly keep: boolean;
}

/** What entries are merged onto. */
export interface Place {
  readonly target: string;
  readonly head: string;
  /** The commit that stands for it in merges. */
  readonly ours: string;
  readonly tree: string;
  /** Whether it is the head itself. A conflict deeper in the stack is for the planner alone, and its report is short. */
  readonly onHead: boolean;
}

export interface Judged {
  /** Or the trouble of the machine that kept it from having one. */
  readonly result: StackResult | { readonly kind: 'failed'; readonly error: unknown };
  /** Missing for a commit that the place has already, and for one that is not there at all. */
  readonly facts: CommitFacts | undefined;
}

/** Merges each of the entries, one by one, onto the same place. However many: four gits if all merge and none has a conflict. */
export async function judge(repo: Repo, place: Place, entries: readonly StackEntry[]): Promise<Judged[]> {
  const { ours, target } = place;
  const shas = entries.map((entry) => entry.sha);
  const [merged, facts] = await Promise.all([mergeTrees(repo, { ours, target }, shas), factsOf(repo, ours, shas)]);
  for (const [at, sha] of shas.entries()) {
    const own = facts.get(sha);
    const joined = own?.merges && ours !== place.head ? await withShadow(repo, ours, own) : sha;
    if (joined !== sha) merged[at] = await settled(mergeTree(repo, { ours, target }, joined));
  }
  const outputs = await screened(repo, place, entries, merged);
  return Promise.all(
    entries.map(async (entry, at) => ({ result: await answer(repo, place, entry, outputs[at]!), facts: facts.get(entry.sha) })),
  );
}

type Screened = MergeOutput | { readonly refused: string } | Failed;

/** What git calls clean is looked at once more. */
async function screened(
  repo: Repo,
  place: Place,
  entries: readonly StackEntry[],
  merged: readonly (Merged | Failed)[],
): Promise<Screened[]> {
  const found: Screened[] = merged.map((one) =>
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
    const sides = { ours: place.ours, theirs: entries[at]!.sha };
    found[at] = reason === undefined ? await asPointerConflict(repo, sides, output, all[n]!) : { refused: reason };
  }
  return found;
}

async function answer(repo: Repo, place: Place, entry: StackEntry, output: Screened): Promise<Judged['result']> {
  if ('error' in output) return output;
  if ('refused' in output) return { kind: 'error', reason: output.refused };
  if (output.clean) return output.tree === place.tree ? { kind: 'contained' } : { kind: 'clean', tree: output.tree };
  const { sha, task, attempt, title: intent } = entry;
  const submission = { head: place.head, ours: place.ours, target: place.target, sha, task, attempt, intent };
  return { kind: 'conflict', report: place.onHead ? await fullReport(repo, output, submission) : shortReport(output, submission) };
}
