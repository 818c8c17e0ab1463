import { FurrowError } from '../platform/error.ts';
import { GitError, type Repo, tryGit } from '../platform/git/run.ts';
import { type MergeOutput, readMergeBatch, readMergeOutput } from './conflict.ts';
import { oneLine } from './message.ts';

/** What git says about two commits. `refused` is as final as the others. */
export type Merged = { readonly kind: 'merged'; readonly output: MergeOutput } | { readonly kind: 'refused'; readonly reason: string };

/** Trouble of the machine with one of many, which the others need not wait for. */
export interface Failed {
  readonly kind: 'failed';
  readonly error: unknown;
}

/** The commit that is merged into, and the branch it stands for, for messages. */
export interface Onto {
  readonly ours: string;
  readonly target: string;
}

/** A file added to a folder that the other side renamed follows it; git's default is to call that a conflict. */
const CONFIG = ['merge.directoryRenames=true', 'merge.conflictStyle=merge'];
const OPTIONS = ['--write-tree', '-z', '--messages'];
/** git 2.39 takes a tree that it cannot read for an empty one, and merges: all files deleted. It only mentions it. */
const UNREAD = /^error: /m;
/** Fits a pipe's buffer both ways, and one that cannot be merged costs few others a second try. */
const BATCH = 100;

/** Merges one commit into another without a worktree. Trouble of the machine is thrown, to be tried again. */
export async function mergeTree(repo: Repo, { ours, target }: Onto, theirs: string): Promise<Merged> {
  const args = ['merge-tree', ...OPTIONS, ours, theirs];
  const done = await tryGit(repo, args, { config: CONFIG });
  if (UNREAD.test(done.stderr)) throw new GitError(args, done);
  if (done.truncated) return { kind: 'refused', reason: 'conflicts in more files than can be listed' };
  if ((done.code === 0 || done.code === 1) && /^[0-9a-f]+\0/.test(done.stdout)) {
    const output = readMergeOutput(done.stdout);
    // git's own word counts, should it ever know of a conflict that it does not list.
    return { kind: 'merged', output: { ...output, clean: done.code === 0 } };
  }
  // Exit 1 without a tree is a commit that is not there; other failures may pass.
  if (done.code === 1) return { kind: 'refused', reason: `cannot be merged: ${oneLine(done.stderr, 200)}` };
  if (done.stderr.includes('unrelated histories')) return { kind: 'refused', reason: `shares no history with ${target}` };
  throw new GitError(args, done);
}

/** git 2.38 has no `--stdin`; it is asked once. */
let batches = true;

/** Merges many into one commit by one git: 1 to 2 ms each at 5k files, where a process each takes 5 to 9. */
export async function mergeTrees(repo: Repo, onto: Onto, theirs: readonly string[]): Promise<(Merged | Failed)[]> {
  const found: (Merged | Failed)[] = [];
  for (let at = 0; at < theirs.length; at += BATCH) {
    const part = theirs.slice(at, at + BATCH);
    found.push(...((await batched(repo, onto, part)) ?? (await oneByOne(repo, onto, part))));
  }
  return found;
}

/** `undefined`: one of them cannot be merged at all, which ends git and leaves the rest without an answer. */
async function batched(repo: Repo, onto: Onto, theirs: readonly string[]): Promise<Merged[] | undefined> {
  if (theirs.length < 2 || !batches) return undefined;
  const input = theirs.map((sha) => `${onto.ours} ${sha}\n`).join('');
  const done = await tryGit(repo, ['merge-tree', ...OPTIONS, '--stdin'], { config: CONFIG, input }).catch(() => undefined);
  if (done?.code === 129) batches = false;
  if (done?.code !== 0 || done.truncated || UNREAD.test(done.stderr)) return undefined;
  const outputs = readMergeBatch(done.stdout);
  if (outputs.length !== theirs.length) throw new FurrowError('GIT_FAILED', 'git merge-tree did not answer for every commit');
  return outputs.map((output) => ({ kind: 'merged', output }));
}

async function oneByOne(repo: Repo, onto: Onto, theirs: readonly string[]): Promise<(Merged | Failed)[]> {
  const found: (Merged | Failed)[] = [];
  for (const sha of theirs) found.push(await settled(mergeTree(repo, onto, sha)));
  return found;
}

export function settled(merge: Promise<Merged>): Promise<Merged | Failed> {
  return merge.catch((error: unknown) => ({ kind: 'failed' as const, error }));
}
