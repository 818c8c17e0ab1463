import { FurrowError } from '../error.ts';
import type { Finished } from '../exec.ts';
import { type Aside, sharedAside, withAside } from './aside.ts';
import { type Attributes, attributesFor, concern, layAttributes } from './attributes.ts';
import { type MergeAnswer, readMerge, readMerges } from './merge-output.ts';
import { GitError, type Repo, tryGit } from './run.ts';

/** A file added to a folder that the other side renamed follows it; git's default is to call that a conflict. */
export const MERGE_CONFIG = ['merge.directoryRenames=true', 'merge.conflictStyle=merge'];
const ARGS = ['merge-tree', '--write-tree', '-z', '--messages'];
/**
 * git 2.39 takes a tree that it cannot read for an empty one, and merges: all files deleted. It only mentions it. A store that the repository
 * borrows from and that is not there is mentioned alike, and git does without it.
 */
const UNREAD = /^error: (?!object directory .* does not exist; check|unable to normalize alternate object path: )/m;
/** An unknown option: git 2.38 has no `--stdin`; it is asked once for a repository. */
const USAGE = 129;
const oneByOne = new WeakSet<Repo>();

export interface Merging {
  readonly done: Finished;
  /** Missing when git gave none: a commit that is not there, no history in common, more than can be listed. */
  readonly answer: MergeAnswer | undefined;
}

/**
 * Merges one commit into another without a worktree, as a function of the two alone; both are given by id. Attributes
 * count as `ours` has them, which is what a merge on a checkout of it would read; only git's own drivers (text, union,
 * binary) exist. Every merge of ours goes through here or through `mergeMany`.
 */
export async function mergeOne(repo: Repo, ours: string, theirs: string): Promise<Merging> {
  const plain = await runOne(repo, await sharedAside(repo, ours), ours, theirs);
  if (!plain.answer) return plain;
  const attributes = await attributesFor(repo, ours, lookedInto(plain.answer));
  if (!concern(attributes, lookedInto(plain.answer))) return plain;
  return withAttributes(repo, ours, attributes, (aside) => runOne(repo, aside, ours, theirs));
}

/**
 * Merges many into one commit by one git, and by a second one those that the attributes concern. `undefined`: one of
 * them cannot be merged at all, which ends git and leaves the rest without an answer; or this git cannot do many.
 */
export async function mergeMany(repo: Repo, ours: string, theirs: readonly string[]): Promise<MergeAnswer[] | undefined> {
  const plain = await runMany(repo, await sharedAside(repo, ours), ours, theirs);
  if (!plain) return undefined;
  const attributes = await attributesFor(repo, ours, plain.flatMap(lookedInto));
  const concerned = plain.flatMap((answer, at) => (concern(attributes, lookedInto(answer)) ? [at] : []));
  if (concerned.length === 0) return plain;
  const again = concerned.map((at) => theirs[at]!);
  const redone = await withAttributes(repo, ours, attributes, (aside) => runMany(repo, aside, ours, again));
  return redone && plain.map((answer, at) => redone[concerned.indexOf(at)] ?? answer);
}

/** Attributes matter only where git had to look into files, which it names. */
const lookedInto = ({ messages }: MergeAnswer) => messages.flatMap(({ paths }) => paths);

function withAttributes<T>(repo: Repo, ours: string, attributes: Attributes, merge: (aside: Aside) => Promise<T>): Promise<T> {
  return withAside(repo, ours, async (aside) => {
    await layAttributes(aside, attributes);
    return merge(aside);
  });
}

const inside = ({ git }: Aside) => ({ ...git, config: [...git.config, ...MERGE_CONFIG] });

async function runOne(repo: Repo, aside: Aside, ours: string, theirs: string): Promise<Merging> {
  const args = [...ARGS, ours, theirs];
  const done = await tryGit(repo, args, inside(aside));
  if (UNREAD.test(done.stderr)) throw new GitError(args, done);
  const whole = (done.code === 0 || done.code === 1) && !done.truncated && /^[0-9a-f]+\0/.test(done.stdout);
  return { done, answer: whole ? readMerge(done.stdout, done.code === 0) : undefined };
}

async function runMany(repo: Repo, aside: Aside, ours: string, theirs: readonly string[]): Promise<MergeAnswer[] | undefined> {
  if (oneByOne.has(repo)) return undefined;
  const input = theirs.map((sha) => `${ours} ${sha}\n`).join('');
  const done = await tryGit(repo, [...ARGS, '--stdin'], { ...inside(aside), input }).catch(() => undefined);
  if (done?.code === USAGE) oneByOne.add(repo);
  if (done?.code !== 0 || done.truncated || UNREAD.test(done.stderr)) return undefined;
  const answers = readMerges(done.stdout);
  if (answers.length !== theirs.length) throw new FurrowError('GIT_FAILED', 'git merge-tree did not answer for every commit');
  return answers;
}
