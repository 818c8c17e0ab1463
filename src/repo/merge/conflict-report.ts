import { gitPath } from '../../journal/branch.ts';
import { isAncestor, setRef } from '../../platform/git/refs.ts';
import { git, type Repo, tryGit } from '../../platform/git/run.ts';
import { limiter } from '../../platform/limit.ts';
import { type ConflictFile, type ConflictReport, type Hunk, hunksOf, type MergeOutput } from './conflict.ts';
import { landingsByPath } from './landings-by-path.ts';
import { oneLine } from './one-line.ts';
import { draft, writeCommits } from './write-commits.ts';

/** The two sides of a merge, for the report when it failed. */
interface Submission {
  readonly head: string;
  /** The commit merged into, if not the head itself: it has the same tree and a longer memory. */
  readonly ours?: string;
  readonly sha: string;
  /** `phase/id`. */
  readonly task: string;
  readonly attempt: number;
  readonly target: string;
  /** One line: what the task is about. */
  readonly intent: string;
}

const FILES = 200;
const REPORT_BYTES = 64 * 1024;
const FURROW = { name: 'furrow', email: 'furrow@localhost' };

/** Two reports at a time: each takes half a dozen gits. */
const few = limiter(2);

/** All that the agent needs to resolve a conflict: the lines, the landings that it meets, and a ref to the merge as git left it. */
export function fullReport(repo: Repo, merged: MergeOutput, submission: Submission): Promise<ConflictReport> {
  return few(() => written(repo, merged, submission));
}

async function written(repo: Repo, merged: MergeOutput, submission: Submission): Promise<ConflictReport> {
  const { head, sha, ours = head } = submission;
  const base = (await tryGit(repo, ['merge-base', ours, sha])).stdout.split('\n')[0] || null;
  const short = shortReport(merged, submission, base);
  // Work on top of a branch that landed squashed conflicts with its lines, unless the agent merges the shadow.
  const stacked = base !== null && ours !== head && !(await isAncestor(repo, base, head));
  const paths = short.files.map((file) => file.path);
  const landings = base === null ? new Map<string, ConflictFile['oursTasks']>() : await landingsByPath(repo, base, head, paths);
  const hunks = await markers(repo, merged.tree, short.files);
  const files = short.files.map((file) => ({
    ...file,
    hunks: hunks.get(file.path) ?? [],
    oursTasks: landings.get(file.path) ?? [],
  }));
  const ref = await keepMarkers(repo, merged.tree, submission);
  return { ...short, files, ref, suggested: `git merge --no-ff ${stacked ? ours : head}` };
}

/** The part of a conflict that the planner needs when nobody is told: which files, and how. It needs no git. */
export function shortReport(merged: MergeOutput, submission: Submission, base: string | null = null): ConflictReport {
  const { head, sha, task, attempt, intent, target } = submission;
  const theirsTasks = [{ task, intent: oneLine(intent) }];
  const files = merged.files.slice(0, FILES).map((file) => ({ ...file, hunks: [], oursTasks: [], theirsTasks }));
  const omitted = merged.files.length - files.length;
  return {
    version: 1,
    task,
    attempt,
    target,
    base,
    ours: head,
    theirs: sha,
    ref: '',
    files,
    omitted,
    suggested: `git merge --no-ff ${head}`,
  };
}

/** The conflict regions of files that both sides have as text; a file that one side deleted or renamed has none. */
async function markers(repo: Repo, tree: string, files: readonly ConflictFile[]): Promise<Map<string, Hunk[]>> {
  const text = (file: ConflictFile, side: '2' | '3') => file.stages[side]?.mode.startsWith('100');
  const shown = files.filter((file) => file.kind !== 'binary' && text(file, '2') && text(file, '3'));
  const found = new Map<string, Hunk[]>();
  let room = REPORT_BYTES;
  for (const file of shown) {
    if (room <= 0) break;
    const blob = await tryGit(repo, ['cat-file', 'blob', `${tree}:${file.path}`]);
    const hunks = blob.code === 0 ? hunksOf(blob.stdout, room) : [];
    room -= hunks.reduce((sum, hunk) => sum + Buffer.byteLength(hunk.text), 0);
    found.set(file.path, hunks);
  }
  return found;
}

/** Keeps the merge as git left it under a ref, so that the report's lines can be looked at later. */
async function keepMarkers(repo: Repo, tree: string, { head, ours = head, sha, task }: Submission): Promise<string> {
  const ref = `refs/furrow/conflict/${gitPath(task)}`;
  // Uses the submitted commit's own date, so that the same conflict gives the same commit.
  const at = Number(await git(repo, ['show', '-s', '--format=%ct', sha])) * 1000;
  const message = `conflict of ${task} with the head\n`;
  const kept = draft({ tree, parents: [ours, sha], message, author: FURROW, committer: FURROW, at });
  await writeCommits(repo, [kept]);
  await setRef(repo, ref, kept.id);
  return ref;
}
