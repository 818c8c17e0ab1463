import { diffPaths } from '../../platform/git/objects.ts';
import { reflog } from '../../platform/git/reflog.ts';
import { isAncestor, resolve, resolveAll, treeOf } from '../../platform/git/refs.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import type { MergeOutput } from './conflict.ts';
import type { Merged } from './merge-tree.ts';
import { mergeWithBase } from './merge-with-base.ts';
import { shadowRef, spineOf } from './shadow.ts';
import { headRef } from './target-refs.ts';

/** Work that landed and whose change is no longer on the target: somebody took it back. */
interface PutBack {
  /** The newest state of the target that the work contains: its change is the difference from there. */
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
 * Tells whether landed work is still there. An ancestor of the target landed once, but its change may be gone: a `git revert` leaves the
 * commit in the history. So the content decides. A path that was changed again in another way counts as there. `undefined`: it is there, or
 * it never landed. `landed` is the commit that did, if more commits were added since. `byPerson`: it may also be a branch that they merged
 * themselves.
 */
export async function putBack(repo: Repo, place: Place, sha: string, landed = sha, byPerson = false): Promise<PutBack | undefined> {
  const line = await git(repo, ['rev-list', '--first-parent', place.head, `^${sha}`, '--']);
  if (line === '') return undefined;
  const inside = await resolve(repo, `${line.trimEnd().split('\n').at(-1)}^1`);
  const forwarded = inside === sha && byPerson ? await forwardedFrom(repo, place.target, sha) : undefined;
  for (const brought of forwarded ? [{ before: forwarded, landing: sha }] : await landingsOf(repo, place.ours, landed)) {
    const fork = forwarded ?? (await forkOf(repo, brought.landing, landed, inside));
    const gone = fork && (await takenBack(repo, place, brought, await diffPaths(repo, fork, landed)));
    if (fork && gone) return { fork, landing: brought.landing, ...gone };
  }
  return undefined;
}

/**
 * The newest state that the work contains, on the line that it landed on. That is the target's own line, unless the target was merged into
 * another branch and moved there; `inside` is the newest on the target's line.
 */
async function forkOf(repo: Repo, landing: string, landed: string, inside?: string): Promise<string | undefined> {
  const oldest = (await git(repo, ['rev-list', '--first-parent', landing, `^${landed}`, '--'])).trimEnd().split('\n').at(-1);
  const fork = oldest ? await resolve(repo, `${oldest}^1`) : undefined;
  if (fork === undefined || fork === landed) return undefined;
  return inside && inside !== landed && (await isAncestor(repo, fork, inside)) ? inside : fork;
}

/** Tells whether a change of the target is still there, as far as it concerns these paths. */
async function takenBack(
  repo: Repo,
  place: Place,
  { before, landing }: Brought,
  own: readonly string[],
): Promise<Pick<PutBack, 'whole'> | undefined> {
  const [did, differs, merged] = await Promise.all([
    diffPaths(repo, before, landing),
    diffPaths(repo, before, place.tree),
    mergeWithBase(repo, { base: before, ours: place.tree, theirs: landing, target: place.target }),
  ]);
  const [brought, changed] = [new Set(did), new Set(differs)];
  // A path that the landing lacks is in a folder that was renamed before: then all of the landing counts.
  const work = new Set(own.every((path) => brought.has(path)) ? own : did);
  const asBefore = [...work].filter((path) => !changed.has(path));
  const open = merged.kind === 'merged' ? openPaths(merged.output) : work;
  const would = merged.kind === 'merged' ? await diffPaths(repo, place.tree, merged.output.tree) : [];
  // A path that the landing did not touch is one that the merge moved into a renamed folder.
  const missing = would.filter((path) => (work.has(path) || !brought.has(path)) && !open.has(path));
  if (missing.length === 0 && !asBefore.some((path) => open.has(path))) return undefined;
  return { whole: asBefore.length === work.size };
}

/** The paths that a merge leaves open. */
function openPaths({ files, conflicts }: MergeOutput): Set<string> {
  return new Set([...files.map(({ path }) => path), ...conflicts.flatMap(({ paths }) => paths)]);
}

/** A state that has work, and the one before that has not. */
interface Brought {
  readonly before: string;
  readonly landing: string;
}

const FORWARDED = /^merge (.+): Fast-forward$/;
const LOGGED = 1000;

/**
 * The target before it was fast-forwarded to a branch that is still there, by its reflog. A pull, or a branch made at a state of the
 * target, is no work.
 */
async function forwardedFrom(repo: Repo, target: string, sha: string): Promise<string | undefined> {
  const log = await reflog(repo, repo.root, `refs/heads/${target}`, LOGGED);
  const at = log.findIndex(({ oid, message }) => oid === sha && FORWARDED.test(message));
  const branch = FORWARDED.exec(log[at]?.message ?? '')?.[1];
  const before = log[at + 1]?.oid;
  if (branch === undefined || before === undefined || (await resolve(repo, `refs/heads/${branch}`)) !== sha) return undefined;
  // The reflog is a file: it may name commits that are gone.
  return (await isAncestor(repo, before, sha).catch(() => false)) ? before : undefined;
}

/** The commits that first brought work into another line, with the state before each; for squashed landings, from the shadows. */
async function landingsOf(repo: Repo, ours: string, landed: string): Promise<Brought[]> {
  const found: Brought[] = [];
  for (const { id, first } of firstBringers(await descendants(repo, ours, landed), landed)) {
    const [memory, earlier] = await spineOf(repo, id, 2);
    if (memory?.commit !== id) found.push({ landing: id, before: first });
    else found.push(...(await rememberedBy(repo, memory.head, earlier?.head ?? first, landed)));
  }
  return found;
}

/**
 * The landing of a remembered commit. After a crash it may be remembered late, even after a revert: it is one of the states since the
 * memory before.
 */
async function rememberedBy(repo: Repo, head: string, earlier: string, landed: string): Promise<Brought[]> {
  const without = [landed, ...(earlier === head ? [] : [earlier])].map((one) => `^${one}`);
  const out = await git(repo, ['rev-list', '--first-parent', '--parents', '--reverse', head, ...without, '--']);
  const within = out.split('\n').flatMap((line) => {
    const [landing, before] = line.split(' ');
    return landing && before ? [{ landing, before }] : [];
  });
  const fork = within.length > 1 ? await forkOf(repo, head, landed) : undefined;
  if (!fork) return within;
  const [own, ...touched] = await Promise.all([
    diffPaths(repo, fork, landed),
    ...within.map(({ before, landing }) => diffPaths(repo, before, landing)),
  ]);
  const about = within.filter((_, at) => touched[at]!.some((path) => own.includes(path)));
  return about.length > 0 ? about : within;
}

interface Descendant {
  readonly id: string;
  readonly first: string;
  readonly parents: readonly string[];
}

/** The commits after this one that a state contains, oldest first. */
async function descendants(repo: Repo, ours: string, sha: string): Promise<Descendant[]> {
  const out = await git(repo, ['rev-list', '--topo-order', '--reverse', '--ancestry-path', '--parents', ours, `^${sha}`, '--']);
  return out.split('\n').flatMap((line) => {
    const [id, ...parents] = line.split(' ');
    return id && parents[0] ? [{ id, first: parents[0], parents }] : [];
  });
}

/**
 * Merges whose first-parent line did not have the commit before. A merge that got it from another of them, as when an agent merges the
 * target, does not count.
 */
function firstBringers(after: readonly Descendant[], sha: string): Descendant[] {
  const [has, passed] = [new Set([sha]), new Set<string>()];
  return after.filter(({ id, first, parents }) => {
    const [brings, known] = [!has.has(first), parents.some((parent) => passed.has(parent))];
    has.add(id);
    if (brings || known) passed.add(id);
    return brings && !known;
  });
}

/** Makes the change of such work again. If that conflicts, it says what to do instead. */
export async function madeAgain(repo: Repo, place: Place, sha: string, { fork, landing }: PutBack): Promise<Merged> {
  const merged = await mergeWithBase(repo, { base: fork, ours: place.tree, theirs: sha, target: place.target });
  if (merged.kind === 'refused' || merged.output.clean) return merged;
  const paths = merged.output.files.map(({ path }) => path);
  const named = `${paths.slice(0, 3).join(', ')}${paths.length > 3 ? ` and ${paths.length - 3} more` : ''}`;
  const reason = `landed as ${landing.slice(0, 9)} and was taken back since, and made again it conflicts in ${named}; do it with: git rebase --onto ${place.target} ${fork.slice(0, 9)} BRANCH`;
  return { kind: 'refused', reason };
}

/** Does the same for the current target, with a person's commits that the head has not followed yet. */
export async function putBackOn(repo: Repo, target: string, sha: string): Promise<PutBack | undefined> {
  const [head, shadow, user] = await resolveAll(repo, [headRef(target), shadowRef(target), `refs/heads/${target}`]);
  const at = user && (!head || (await isAncestor(repo, head, user))) ? user : head;
  return at === undefined
    ? undefined
    : putBack(repo, { target, head: at, ours: shadow ?? at, tree: await treeOf(repo, at) }, sha, sha, true);
}
