import { commitTree } from '../../platform/git/objects.ts';
import type { Repo } from '../../platform/git/run.ts';
import { mergeWithBase } from '../../repo/merge/merge-with-base.ts';
import type { SlowCheckState, SlowCheckStep } from './snapshot.ts';

export interface LandedRevert {
  /** `landed` of the step that was taken back. */
  readonly step: string;
  /** The entry that took it back. */
  readonly entry: number;
}

const FURROW = { name: 'furrow', email: 'furrow@localhost' };

/** The state without a step, keyed by state and step. It never changes, so it is computed once. */
export type Without = Map<string, SlowCheckState | null>;

/**
 * The steps as if what was taken back had never landed. All states between a culprit and its revert are red because of it, and would hide a
 * second culprit among them, so they are replaced by states without it. If a state conflicts without it, its step is joined with the next
 * one.
 */
export async function stepsWithoutReverted(
  repo: Repo,
  base: SlowCheckState,
  steps: readonly SlowCheckStep[],
  reverts: readonly LandedRevert[],
  known: Without = new Map(),
): Promise<SlowCheckStep[]> {
  let left = [...steps];
  for (const { step, entry } of reverts) {
    const from = left.findIndex((one) => one.landed === step);
    const to = left.findIndex((one) => one.entry === entry);
    if (from === -1 || to < from) continue;
    const before = from === 0 ? base : left[from - 1]!;
    const clear = await without(repo, before, left.slice(from, to + 1), known);
    left = [...left.slice(0, from), ...clear, ...left.slice(to + 1)];
  }
  return left;
}

/** The first step is the culprit, the last its revert, which equals the state before it without the culprit. */
async function without(repo: Repo, before: SlowCheckState, span: readonly SlowCheckStep[], known: Without): Promise<SlowCheckStep[]> {
  const [culprit, ...rest] = span as [SlowCheckStep, ...SlowCheckStep[]];
  const revert = rest.pop();
  const clear: SlowCheckStep[] = [];
  const hidden: SlowCheckStep[] = [];
  for (const step of rest) {
    const key = `${step.commit}:${culprit.commit}:${before.tree}`;
    const state = known.get(key) ?? (known.has(key) ? null : await stateWithout(repo, step, before.tree, culprit.tree));
    known.set(key, state);
    if (state) clear.push({ ...together(step, hidden.splice(0)), ...state, whole: false });
    else hidden.push(step);
  }
  if (revert) clear.push(together({ ...revert, task: null }, hidden));
  return clear;
}

function together(step: SlowCheckStep, hidden: readonly SlowCheckStep[]): SlowCheckStep {
  if (hidden.length === 0) return step;
  return { ...step, task: null, what: [...hidden, step].map((one) => one.what).join(', ') };
}

async function stateWithout(repo: Repo, step: SlowCheckStep, before: string, after: string): Promise<SlowCheckState | null> {
  const undone = await undo(repo, step.tree, { before, after });
  if (undone.kind === 'conflict') return null;
  const message = 'a landed state without a step that was taken back\n';
  const commit = await commitTree(repo, { tree: undone.tree, parents: [step.commit], message, author: FURROW, committer: FURROW, at: 0 });
  return { commit, tree: undone.tree };
}

/** A change, as the trees before and after it. */
interface Change {
  readonly before: string;
  readonly after: string;
}

type Undone = { readonly kind: 'clean'; readonly tree: string } | { readonly kind: 'conflict'; readonly paths: readonly string[] };

/**
 * Takes a change out of a tree that has more on top of it, by a merge: its base is the state after the change, and its other side the state
 * before.
 */
export async function undo(repo: Repo, tree: string, { before, after }: Change): Promise<Undone> {
  const merged = await mergeWithBase(repo, { base: after, ours: tree, theirs: before, target: 'the target' });
  if (merged.kind === 'refused') throw new Error(`a change cannot be taken back: ${merged.reason}`);
  const { clean, tree: left, files } = merged.output;
  return clean ? { kind: 'clean', tree: left } : { kind: 'conflict', paths: files.map((file) => file.path) };
}
