import { FurrowError } from '../../platform/error.ts';
import { isAncestor, type Moved, moveRef, type RefValue, resolve } from '../../platform/git/refs.ts';
import type { Repo } from '../../platform/git/run.ts';
import type { Authored, Identity } from '../../platform/git/user.ts';
import type { WorkCommit } from './commit-facts.ts';
import type { LandedWork } from './landed-work.ts';
import { batchMessage, entryMessage, keptTrailers, linearBatchMessage, writtenCommits } from './message.ts';
import { oneLine } from './one-line.ts';
import { type Drafted, draft, plain } from './write-commits.ts';

/** One entry of a landing, with what its own commit needs. */
export interface LandingEntry extends LandedWork {
  readonly sha: string;
  /** The tree after it is merged onto those before it. */
  readonly tree: string;
  /** The time it was submitted. It comes from the entry and not from a clock: the same landing must be the same commit. */
  readonly at: number;
}

export interface LandingTerms {
  readonly head: string;
  /** Names of the checks that it lands under. */
  readonly checks: readonly string[];
  readonly committer: Identity;
  readonly history: 'merge' | 'linear';
  /** `queue.message`, if it is set. */
  readonly message?: string | undefined;
}

/**
 * The commits of a landing, the one that lands last. For any number of tasks the target's first-parent chain grows by one commit, whose
 * tree was checked. In a `merge` history the tasks' own commits are a chain on its second-parent side; they carry no check, because their
 * trees were never checked.
 */
export function draftLanding(entries: readonly LandingEntry[], terms: LandingTerms): Drafted[] {
  const { head, checks, committer, history } = terms;
  const last = entries.at(-1)!;
  if (entries.length === 1) return [draftEntry(last, head, checks, terms)];
  const whole = { tree: last.tree, committer, author: committer, at: Math.max(...entries.map((entry) => entry.at)) };
  if (history === 'linear') {
    const commits = entries.flatMap((entry) => entry.commits);
    const people = coAuthors(commits, committer, keptTrailers(commits));
    const message = linearBatchMessage(entries, { checks, people, template: terms.message });
    return [draft({ ...whole, parents: [head], message })];
  }
  const tips: Drafted[] = [];
  for (const entry of entries) tips.push(draftEntry(entry, tips.at(-1)?.id ?? head, [], terms));
  return [...tips, draft({ ...whole, parents: [head, tips.at(-1)!.id], message: batchMessage(entries, checks) })];
}

/** The commit of one entry: who wrote it, when, and their own message where there is one commit. */
function draftEntry(entry: LandingEntry, before: string, checks: readonly string[], terms: LandingTerms): Drafted {
  const { committer, message: template } = terms;
  const written = writtenCommits(entry);
  const commits = written.length > 0 ? written : entry.commits;
  const author = mainAuthor(commits) ?? committer;
  const people = coAuthors(commits, author, keptTrailers(entry.commits));
  const parents = entry.keep ? [before, entry.sha] : [before];
  const message = entryMessage(entry, { checks, people, template });
  return draft({ tree: entry.tree, parents, author, committer, at: entry.at, message });
}

export interface LandingMove {
  readonly ref: string;
  readonly old: string;
  readonly new: string;
}

/**
 * Moves the head by one compare-and-swap. The chain only grows: a commit that does not descend from the head is a bug. A caller that has
 * just built the commit passes its first `parent`; else git is asked, which takes a fifth of the whole.
 */
export async function land(repo: Repo, move: LandingMove & { epoch: RefValue; parent?: string }): Promise<Moved> {
  if (move.parent !== move.old && !(await isAncestor(repo, move.old, move.new))) {
    throw new FurrowError('NOT_A_LANDING', `${move.new} does not descend from ${move.old}: landing it would lose work`);
  }
  return moveRef(repo, { ref: move.ref, to: move.new, from: move.old, epoch: move.epoch });
}

/** After a crash: is this landing done, still to do, or has the head gone elsewhere, so that it must be planned again? */
export async function probeLanding(repo: Repo, move: LandingMove): Promise<'done' | 'todo' | 'lost'> {
  const at = await resolve(repo, move.ref);
  if (at === undefined) return 'lost';
  if (at === move.new) return 'done';
  if (at === move.old) return 'todo';
  return (await isAncestor(repo, move.new, at)) ? 'done' : 'lost';
}

const DATE = /^\d{1,14} [+-]\d{4}$/;

const emailOf = ({ email }: Authored) => plain(email).toLowerCase();
const personOf = (author: Authored) => `${author.name}\0${emailOf(author)}`;

/** An author that git accepts: it strips some characters from a name and fails on an empty one. */
function usable(author: Authored): Authored | undefined {
  if (!plain(author.name)) return undefined;
  const { date = '', ...who } = author;
  return DATE.test(date) ? author : who;
}

/** The author of most of some commits (the later one on a tie), with the date of their last. */
function mainAuthor(commits: readonly WorkCommit[]): Authored | undefined {
  const people = new Map<string, { count: number; last: number }>();
  for (const [last, { author }] of commits.entries()) {
    if (usable(author)) people.set(personOf(author), { count: (people.get(personOf(author))?.count ?? 0) + 1, last });
  }
  const [first] = [...people.values()].sort((a, b) => b.count - a.count || b.last - a.last);
  return first && usable(commits[first.last]!.author);
}

/** A `Co-authored-by` for everybody who wrote some of the commits and is not named yet. */
function coAuthors(commits: readonly WorkCommit[], main: Authored, trailers: readonly string[]): string[] {
  const named = trailers.filter((one) => /^co-authored-by\s*:/i.test(one)).map((one) => one.toLowerCase());
  const seen = new Set([emailOf(main)]);
  return commits.flatMap(({ author }) => {
    const email = emailOf(author);
    if (!usable(author) || seen.has(email) || named.some((one) => one.includes(`<${email}>`))) return [];
    seen.add(email);
    return [`Co-authored-by: ${oneLine(plain(author.name), 200)} <${oneLine(plain(author.email), 200)}>`];
  });
}
