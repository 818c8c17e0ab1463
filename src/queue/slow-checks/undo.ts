import type { Repo } from '../../platform/git/run.ts';
import { mergeWithBase } from '../../repo/merge/base.ts';

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
