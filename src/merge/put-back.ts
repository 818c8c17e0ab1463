import { diffPaths } from '../platform/git/objects.ts';
import { reflog } from '../platform/git/reflog.ts';
import { isAncestor, resolve, resolveAll, treeOf } from '../platform/git/refs.ts';
import { git, type Repo } from '../platform/git/run.ts';
import { LOOK_BACK, shadowRef, spineOf } from './ancestry.ts';
import { mergeWithBase } from './base.ts';
import { headRef } from './land.ts';
import type { Merged } from './merge-tree.ts';

/** Work that landed and whose change is not on the target any more: somebody put back what it had changed. */
export interface PutBack {
  /** The newest state of the target that the work has inside: its change is what differs from there. */
  readonly fork: string;
  /** The landing that brought it. */
  readonly landing: string;
  /** Nothing of its change is left. */
  readonly whole: boolean;
}

/** The state that work is looked for on. */
interface Place {
  readonly target: string;
  readonly head: string;
  /** The commit that stands for it in merges. */
  readonly ours: string;
  readonly tree: string;
}

/**
 * Looks whether work that landed is there still. That a commit is an ancestor of the target says that it landed once, not that its change is there now: a
 * `git revert` leaves it in the history. A path that was changed again in another way counts as there. `undefined`: it is there, or it never landed.
 * `landed` is the commit that did, where more commits were added since. `byPerson`: it may also be a branch that they merged themselves.
 */
export async function putBack(repo: Repo, place: Place, sha: string, landed = sha, byPerson = false): Promise<PutBack | undefined> {
  const since = await targetSince(repo, place, sha, byPerson);
  if (!since) return undefined;
  const own = await diffPaths(repo, since.fork, landed);
  for (const brought of await landingsOf(repo, place, since, landed, own)) {
    const gone = await takenBack(repo, place, brought, own);
    if (gone) return { fork: since.fork, landing: brought.landing, ...gone };
  }
  return undefined;
}

/** Looks whether a change of the target is there still, as far as it is about these paths. */
async function takenBack(
  repo: Repo,
  place: Place,
  { before, landing }: Brought,
  own: readonly string[],
): Promise<Pick<PutBack, 'whole'> | undefined> {
  const [did, merged] = await Promise.all([
    diffPaths(repo, before, landing),
    mergeWithBase(repo, { base: before, ours: place.tree, theirs: landing, target: place.target }),
  ]);
  if (merged.kind === 'refused') return undefined;
  const work = new Set(own.filter((path) => did.includes(path)));
  const open = new Set([...merged.output.files.map(({ path }) => path), ...merged.output.conflicts.flatMap(({ paths }) => paths)]);
  const missing = (await diffPaths(repo, place.tree, merged.output.tree)).filter((path) => work.has(path) && !open.has(path));
  if (missing.length === 0) return undefined;
  const differs = new Set(await diffPaths(repo, before, place.tree));
  return { whole: [...work].every((path) => !differs.has(path)) };
}

/** A state of the target that has work, and the one before that has not. */
interface Brought {
  readonly before: string;
  readonly landing: string;
}

interface Since {
  /** The target's own states that the work does not have inside, newest first. */
  readonly states: readonly string[];
  readonly fork: string;
  /** The target was moved to the work itself. */
  readonly forwarded?: true;
}

async function targetSince(repo: Repo, { head, target }: Place, sha: string, byPerson: boolean): Promise<Since | undefined> {
  const states = (await git(repo, ['rev-list', '--first-parent', head, `^${sha}`, '--'])).split('\n').filter(Boolean);
  const fork = states.length === 0 ? undefined : await resolve(repo, `${states.at(-1)}^1`);
  if (fork !== sha) return fork === undefined ? undefined : { states, fork };
  // A state of the target itself: which part of it is the work is known only of a branch that a person merged.
  const before = byPerson ? await forwardedFrom(repo, target, sha) : undefined;
  return before === undefined ? undefined : { states, fork: before, forwarded: true };
}

const FORWARDED = /^merge (.+): Fast-forward$/;
const LOGGED = 1000;

/** The target before it was fast-forwarded to a branch that is still there, by its reflog; a pull, or a branch made at a state of the target, is no work. */
async function forwardedFrom(repo: Repo, target: string, sha: string): Promise<string | undefined> {
  const log = await reflog(repo, repo.root, `refs/heads/${target}`, LOGGED);
  const at = log.findIndex(({ oid, message }) => oid === sha && FORWARDED.test(message));
  const branch = FORWARDED.exec(log[at]?.message ?? '')?.[1];
  const before = log[at + 1]?.oid;
  if (branch === undefined || before === undefined || (await resolve(repo, `refs/heads/${branch}`)) !== sha) return undefined;
  // The reflog is a file: it may name what is not there.
  return (await isAncestor(repo, before, sha).catch(() => false)) ? before : undefined;
}

/** The first state of the target that has a commit, and the last that has not: by its history, else by what squashed landings remember. */
async function landingsOf(
  repo: Repo,
  { ours }: Place,
  { states, fork, forwarded }: Since,
  sha: string,
  own: readonly string[],
): Promise<readonly Brought[]> {
  if (forwarded) return [{ before: fork, landing: sha }];
  const after = new Set((await git(repo, ['rev-list', '--ancestry-path', ours, `^${sha}`, '--'])).split('\n'));
  const first = states.findLastIndex((state) => after.has(state));
  if (first >= 0) return [{ landing: states[first]!, before: states[first + 1] ?? fork }];
  const known = (await spineOf(repo, ours, LOOK_BACK)).filter(({ head }) => states.includes(head));
  const at = known.findLastIndex(({ commit }) => after.has(commit));
  if (at < 0) return [];
  // A crash may have kept a landing from being remembered until later, after a revert even: it is one of the states since the memory before.
  const [newest, oldest] = [states.indexOf(known[at]!.head), known[at + 1] ? states.indexOf(known[at + 1]!.head) : states.length];
  const within = states.slice(newest, oldest).map((landing, n) => ({ landing, before: states[newest + n + 1] ?? fork }));
  if (within.length === 1) return within;
  const touched = await Promise.all(within.map(({ before, landing }) => diffPaths(repo, before, landing)));
  return within.filter((_, n) => touched[n]!.some((path) => own.includes(path))).reverse();
}

/** Makes the change of such work once more. Where that does not go cleanly, it says what to do instead. */
export async function madeAgain(repo: Repo, place: Place, sha: string, { fork, landing }: PutBack): Promise<Merged> {
  const merged = await mergeWithBase(repo, { base: fork, ours: place.tree, theirs: sha, target: place.target });
  if (merged.kind === 'refused' || merged.output.clean) return merged;
  const paths = merged.output.files.map(({ path }) => path);
  const named = `${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`;
  const reason = `landed as ${landing.slice(0, 9)} and was taken back since, and made again it conflicts in ${named}; do it with: git rebase --onto ${place.target} ${fork.slice(0, 9)} BRANCH`;
  return { kind: 'refused', reason };
}

/** The same for the target as it is now, with commits of a person's that the head has not followed yet. */
export async function putBackOn(repo: Repo, target: string, sha: string): Promise<PutBack | undefined> {
  const [head, shadow, user] = await resolveAll(repo, [headRef(target), shadowRef(target), `refs/heads/${target}`]);
  const at = user && (!head || (await isAncestor(repo, head, user))) ? user : head;
  return at === undefined
    ? undefined
    : putBack(repo, { target, head: at, ours: shadow ?? at, tree: await treeOf(repo, at) }, sha, sha, true);
}
