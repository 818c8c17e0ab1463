import { FurrowError } from '../error.ts';
import type { Finished } from '../exec.ts';
import { type Attributes, attributesFor, concern, layAttributes } from './attributes.ts';
import { type MergeAnswer, readMerge, readMerges } from './merge-output.ts';
import { type Aside, sharedAside, withAside } from './own-object-store.ts';
import { GitError, type Repo, tryGit } from './run.ts';

/** A file that was added to a folder follows it when the other side renamed the folder; by default git calls that a conflict. */
export const MERGE_CONFIG = ['merge.directoryRenames=true', 'merge.conflictStyle=merge'];
const ARGS = ['merge-tree', '--write-tree', '-z', '--messages'];
/**
 * git 2.39 treats a tree that it cannot read as empty, and merges: all files deleted. It only prints a line. It prints a similar line when
 * a borrowed object store is missing; that one is harmless.
 */
const UNREAD = /^error: (?!object directory .* does not exist; check|unable to normalize alternate object path: )/m;
/** The exit code for an unknown option: git 2.38 has no `--stdin`. Each repository is asked once. */
const USAGE = 129;
const oneByOne = new WeakSet<Repo>();

interface Merging {
  readonly done: Finished;
  /** Missing when git gave no answer: a commit is not there, the histories have nothing in common, or the output is too long. */
  readonly answer: MergeAnswer | undefined;
}

/**
 * Merges one commit into another without a worktree; the result depends on these two alone, given by id. Attributes are those of `ours`, as
 * in a merge on a checkout of it; only git's own drivers (text, union, binary) exist. Every merge of ours goes through this or `mergeMany`.
 */
export async function mergeOne(repo: Repo, ours: string, theirs: string): Promise<Merging> {
  const plain = await runOne(repo, await sharedAside(repo, ours), ours, theirs);
  if (!plain.answer) return plain;
  const attributes = await attributesFor(repo, ours, lookedInto(plain.answer));
  if (!concern(attributes, lookedInto(plain.answer))) return plain;
  return withAttributes(repo, ours, attributes, (aside) => runOne(repo, aside, ours, theirs));
}

/**
 * Merges many into one commit with one git, and those that attributes concern with a second. `undefined`: one of them cannot be merged at
 * all, which ends git before it has answered the rest; or this git cannot do many.
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

/** The files that git looked into: only there do attributes matter. Git names them in its messages. */
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
