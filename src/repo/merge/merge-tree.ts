import { mergeMany, mergeOne } from '../../platform/git/merge-tree.ts';
import { GitError, type Repo } from '../../platform/git/run.ts';
import { type MergeOutput, outputOf } from './conflict.ts';
import { oneLine } from './one-line.ts';

/** The answer of git about two commits. `refused` is as final as the others. */
export type Merged = { readonly kind: 'merged'; readonly output: MergeOutput } | { readonly kind: 'refused'; readonly reason: string };

/** Trouble of the machine with one of many merges; the others need not wait for it. */
export interface Failed {
  readonly kind: 'failed';
  readonly error: unknown;
}

/** The commit that is merged into, and the branch it stands for, for messages. */
interface Onto {
  readonly ours: string;
  readonly target: string;
}

/** Fits a pipe's buffer both ways, and a commit that cannot be merged costs few others a second try. */
const BATCH = 100;

/** Merges one commit into another without a worktree. Trouble of the machine is thrown, to be tried again. */
export async function mergeTree(repo: Repo, { ours, target }: Onto, theirs: string): Promise<Merged> {
  const { done, answer } = await mergeOne(repo, ours, theirs);
  if (answer) return { kind: 'merged', output: outputOf(answer) };
  if (done.truncated) return { kind: 'refused', reason: 'conflicts in more files than can be listed' };
  // Exit 1 without a tree is a commit that is not there; other failures may pass.
  if (done.code === 1) return { kind: 'refused', reason: `cannot be merged: ${oneLine(done.stderr, 200)}` };
  if (done.stderr.includes('unrelated histories')) return { kind: 'refused', reason: `shares no history with ${target}` };
  throw new GitError(['merge-tree', ours, theirs], done);
}

/** Merges many into one commit with one git: 1 to 2 ms each at 5k files, where a process each takes 5 to 9. */
export async function mergeTrees(repo: Repo, onto: Onto, theirs: readonly string[]): Promise<(Merged | Failed)[]> {
  const found: (Merged | Failed)[] = [];
  for (let at = 0; at < theirs.length; at += BATCH) {
    const part = theirs.slice(at, at + BATCH);
    const answers = part.length > 1 ? await mergeMany(repo, onto.ours, part) : undefined;
    if (answers) found.push(...answers.map((answer) => ({ kind: 'merged' as const, output: outputOf(answer) })));
    else for (const sha of part) found.push(await orFailed(mergeTree(repo, onto, sha)));
  }
  return found;
}

export function orFailed(merge: Promise<Merged>): Promise<Merged | Failed> {
  return merge.catch((error: unknown) => ({ kind: 'failed' as const, error }));
}
