import { areConnected } from '../../platform/git/connected.ts';
import { isAncestor, type Moved, moveRef, type RefValue, resolve } from '../../platform/git/refs.ts';
import { GitError, git, type Repo, tryGit } from '../../platform/git/run.ts';
import { type Drafted, draft, writeCommits } from './write-commits.ts';

/**
 * A squashed landing does not name the commits it came from, so work that was built on those would conflict with their lines. Therefore
 * merges are computed against a *shadow*: a commit with the head's tree whose parents are the shadow before, the head, and the submitted
 * commits. It never gets into the target's history.
 */
export interface Shadow {
  /** The commit that merges are computed against: the shadow, or the head itself while there is nothing to remember. */
  readonly commit: string;
  /** The head that it stands for. */
  readonly head: string;
  /** The commit that `refs/furrow/shadow/<target>` holds. */
  readonly ref: string | null;
}

const FURROW = { name: 'furrow', email: 'furrow@localhost' };
const SUBJECT = 'what has landed, for later merges';

export function shadowRef(target: string): string {
  return `refs/furrow/shadow/${target}`;
}

interface Memory {
  /** The shadow before, or the head before. */
  readonly before: string;
  readonly head: string;
  readonly tree: string;
  /** The commits that were submitted. */
  readonly shas: readonly string[];
  /** The time of the landing: with a date far in the past git would walk all of the history at each merge. */
  readonly at: number;
}

/** The first parent is the shadow before, so that the shadows of a target are one first-parent chain. */
export function draftShadow({ before, head, tree, shas, at }: Memory): Drafted {
  const parents = [...new Set([before, head, ...shas])];
  return draft({ tree, parents, message: `${SUBJECT}\n\nHead: ${head}\n`, author: FURROW, committer: FURROW, at });
}

/** A state of the stack that merges are computed against: the state before, and the commit merged into it. */
export function draftStep(before: string, sha: string, tree: string, at: number): Drafted {
  return draft({ tree, parents: [before, sha], message: 'a state of the queue\n', author: FURROW, committer: FURROW, at });
}

/**
 * The shadow of this head. The former memory stays when the head only grew; `landed` are submitted commits of landings that a crash kept
 * from being remembered. If the head went elsewhere, only the memory up to the last common commit stays: else work that a person reverted
 * would come back with everything built on it, as soon as they also amend a commit.
 */
export async function shadowOf(repo: Repo, at: { target: string; head: string; landed?: readonly string[] }): Promise<Shadow> {
  const { target, head, landed = [] } = at;
  const ref = (await resolve(repo, shadowRef(target))) ?? null;
  // One that a clean-up took commits out of stands for nothing: every merge onto it fails.
  const newest = ref === null || !(await areConnected(repo, [ref], [head])) ? undefined : (await spineOf(repo, ref, 1))[0];
  if (newest?.head === head) return { commit: newest.commit, head, ref };
  const grown = newest !== undefined && (await isAncestor(repo, newest.head, head));
  const known = grown || newest === undefined ? newest : await rememberedIn(repo, newest.commit, head).catch(() => undefined);
  if (!known && landed.length === 0) return { commit: head, head, ref };
  const [tree = '', seconds = ''] = (await git(repo, ['show', '-s', '--format=%T %ct', head])).split(' ');
  const before = known?.commit ?? head;
  const shadow = draftShadow({ before, head, tree, shas: landed, at: Number(seconds) * 1000 });
  await writeCommits(repo, [shadow]);
  return { commit: shadow.id, head, ref };
}

/**
 * Stores the shadow in its ref. It only helps later merges: one that lost a race is dropped, and the next landing tries again. The shadow
 * of a head that was given up is removed: because of it, work that is queued again would count as landed.
 */
export async function keepShadow(repo: Repo, target: string, shadow: Shadow, epoch?: RefValue): Promise<Shadow> {
  if (shadow.commit === shadow.ref || (shadow.commit === shadow.head && shadow.ref === null)) return shadow;
  const moved: Moved = await moveRef(repo, { ref: shadowRef(target), to: shadow.commit, from: shadow.ref, epoch });
  return { ...shadow, ref: moved.moved ? shadow.commit : (moved.at ?? null) };
}

interface Remembered {
  readonly commit: string;
  readonly head: string;
}

/** The shadows behind a state of the stack, newest first. */
export async function spineOf(repo: Repo, from: string, count: number): Promise<Remembered[]> {
  const format = '--format=%H %(trailers:key=Head,valueonly,separator=)%x02%s';
  const out = await git(repo, ['rev-list', '--first-parent', '--no-commit-header', `--max-count=${count}`, format, from]);
  return out.split('\n').flatMap((line) => {
    const [ids = '', subject] = line.split('\x02');
    const [commit = '', head = ''] = ids.split(' ');
    return subject === SUBJECT && head ? [{ commit, head }] : [];
  });
}

const LOOK_BACK = 500;

/**
 * Work that contains a head has everything that landed in that head. But git sees only the squashed commit, and takes long outdated commits
 * for merge bases. The same tree with that head's shadow as a second parent tells git. Needed only where the work has merges: without them
 * its base is one commit.
 */
export async function withShadow(repo: Repo, base: string, work: { sha: string; tree: string; at: number }): Promise<string> {
  const inside = await rememberedIn(repo, base, work.sha);
  if (!inside) return work.sha;
  const joined = draftStep(work.sha, inside.commit, work.tree, work.at);
  await writeCommits(repo, [joined]);
  return joined.id;
}

/** The newest shadow behind a state whose head is an ancestor of a commit. */
async function rememberedIn(repo: Repo, from: string, commit: string): Promise<Remembered | undefined> {
  const spine = await spineOf(repo, from, LOOK_BACK);
  if (spine.length === 0) return undefined;
  const args = ['rev-list', '--stdin'];
  const input = `${spine.map(({ head }) => `${head}\n`).join('')}^${commit}\n`;
  const done = await tryGit(repo, args, { input });
  if (done.code !== 0) throw new GitError(args, done);
  const missing = new Set(done.stdout.split('\n'));
  return spine.find(({ head }) => !missing.has(head));
}
