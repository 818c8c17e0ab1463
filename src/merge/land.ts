import { FurrowError } from '../platform/error.ts';
import { isAncestor, type Moved, moveRef, type RefValue, resolve } from '../platform/git/refs.ts';
import { git, type Repo } from '../platform/git/run.ts';
import type { Identity } from '../platform/git/user.ts';
import { type LandedEntry, landingMessage } from './message.ts';
import { type Drafted, draft, plain } from './pack.ts';

/** One entry of a landing, with what its own commit needs. */
export interface LandingEntry extends LandedEntry {
  readonly sha: string;
  /** The tree once it is merged onto those before it. */
  readonly tree: string;
  /** Who wrote the submitted commit, unless git would refuse the name. */
  readonly author: Identity | undefined;
  /** When it was submitted. From the entry, never from a clock: the same landing must be the same commit. */
  readonly at: number;
  /** Its submitted commits become part of the history. */
  readonly keep: boolean;
}

export interface LandingTerms {
  readonly head: string;
  /** Names of the checks that it lands under. */
  readonly checks: readonly string[];
  readonly committer: Identity;
  readonly history: 'merge' | 'linear';
}

/**
 * The commits of a landing, the one that lands last. However many tasks, the target's first-parent chain grows by one
 * commit whose tree is the checked one; in a `merge` history the tasks' own commits are a chain on its second-parent
 * side. Those carry no check: their trees were never checked.
 */
export function draftLanding(entries: readonly LandingEntry[], terms: LandingTerms): Drafted[] {
  const { head, checks, committer, history } = terms;
  const last = entries.at(-1)!;
  const at = Math.max(...entries.map((entry) => entry.at));
  const message = landingMessage(entries, checks);
  const whole = { tree: last.tree, message, committer, at };
  if (history === 'linear') return [draft({ ...whole, parents: [head], author: (entries.length === 1 && last.author) || committer })];
  if (entries.length === 1) return [draft({ ...whole, parents: last.keep ? [head, last.sha] : [head], author: last.author ?? committer })];
  const tips: Drafted[] = [];
  for (const entry of entries) {
    const before = tips.at(-1)?.id ?? head;
    const parents = entry.keep ? [before, entry.sha] : [before];
    const own = { tree: entry.tree, message: landingMessage([entry], []), committer, at: entry.at };
    tips.push(draft({ ...own, parents, author: entry.author ?? committer }));
  }
  return [...tips, draft({ ...whole, parents: [head, tips.at(-1)!.id], author: committer })];
}

/** Who wrote the submitted tip, unless git would refuse the name: it strips these characters and dies on what is left. */
export async function authorOf(repo: Repo, sha: string): Promise<Identity | undefined> {
  const [name = '', email = ''] = (await git(repo, ['show', '-s', '--format=%an%x00%ae', sha])).split('\0');
  return plain(name) ? { name, email } : undefined;
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

/**
 * Moves the head by one compare-and-swap. The chain only grows: a commit that does not descend from the head is a bug.
 * Who has just built the commit knows its first `parent`; else git is asked, which takes a fifth of the whole.
 */
export async function land(repo: Repo, move: LandingMove & { epoch: RefValue; parent?: string }): Promise<Moved> {
  if (move.parent !== move.old && !(await isAncestor(repo, move.old, move.new))) {
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
