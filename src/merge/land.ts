import { FurrowError } from '../platform/error.ts';
import { commitTree } from '../platform/git/objects.ts';
import { isAncestor, moveRef, type RefValue, resolve } from '../platform/git/refs.ts';
import { git, type Repo } from '../platform/git/run.ts';
import type { Identity } from '../platform/git/user.ts';
import { type LandedEntry, landingMessage } from './message.ts';

export interface Landing {
  readonly head: string;
  /** The submitted commit. */
  readonly sha: string;
  /** The tree that merging the two gave, and that the checks are about. */
  readonly tree: string;
  readonly entries: readonly LandedEntry[];
  /** Names of the checks that it lands under. */
  readonly checks: readonly string[];
  /** Date of the commit. From the entry or the intent, never from a clock: the same landing must be the same commit. */
  readonly at: number;
  readonly committer: Identity;
  readonly history: 'merge' | 'linear';
}

/** Builds the commit that is checked and, if green, landed: same input, same commit, however often and after any crash. */
export async function landingCommit(repo: Repo, landing: Landing): Promise<string> {
  const { head, sha, tree, at, committer } = landing;
  const message = landingMessage(landing.entries, landing.checks);
  const author = (await authorOf(repo, sha)) ?? committer;
  return commitTree(repo, { tree, parents: landing.history === 'linear' ? [head] : [head, sha], message, author, committer, at });
}

/** Who wrote the submitted tip, unless git would refuse the name: it strips these characters and dies on what is left. */
async function authorOf(repo: Repo, sha: string): Promise<Identity | undefined> {
  const [name = '', email = ''] = (await git(repo, ['show', '-s', '--format=%an%x00%ae', sha])).split('\0');
  return /[^\s.,:;<>"\\']/.test(name) ? { name, email } : undefined;
}

/** `refs/furrow/head/<target>`: the verified chain, which the target follows. */
export function headRef(target: string): string {
  return `refs/furrow/head/${target}`;
}

export interface LandingMove {
  readonly ref: string;
  readonly old: string;
  readonly new: string;
}

/** Moves the head by one compare-and-swap. The chain only grows: a commit that does not descend from the head is a bug. */
export async function land(
  repo: Repo,
  move: LandingMove & { epoch: RefValue },
): Promise<{ moved: true } | { moved: false; at: string | undefined }> {
  if (!(await isAncestor(repo, move.old, move.new))) {
    throw new FurrowError('NOT_A_LANDING', `${move.new} does not descend from ${move.old}: landing it would lose work`);
  }
  return moveRef(repo, { ref: move.ref, to: move.new, from: move.old, epoch: move.epoch });
}

/** After a crash: was this landing done, is it still to do, or has the head gone elsewhere, so that it must be planned again? */
export async function probeLanding(repo: Repo, move: LandingMove): Promise<'done' | 'todo' | 'lost'> {
  const at = await resolve(repo, move.ref);
  if (at === undefined) return 'lost';
  if (at === move.new) return 'done';
  if (at === move.old) return 'todo';
  return (await isAncestor(repo, move.new, at)) ? 'done' : 'lost';
}
