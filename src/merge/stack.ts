import { commitTree } from '../platform/git/objects.ts';
import { moveRef, resolve, treeOf } from '../platform/git/refs.ts';
import { GitError, git, type Repo, tryGit } from '../platform/git/run.ts';
import { type ConflictFile, type ConflictReport, hunksOf, type MergeOutput, readMergeOutput } from './conflict.ts';
import { oneLine } from './message.ts';
import type { StackResult } from './snapshot.ts';

/** Two commits to merge, and whose work it is, for the report when they do not. */
export interface Submission {
  readonly head: string;
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

/**
 * Merges a submitted commit into a head without a worktree. What the head has already, as an ancestor or as the same
 * content, is `contained`. An answer is final for these two commits; trouble of the machine is thrown, to be tried again.
 */
export async function predict(repo: Repo, submission: Submission): Promise<StackResult> {
  const { head, sha } = submission;
  const args = ['merge-tree', '--write-tree', '-z', head, sha];
  const done = await tryGit(repo, args);
  const tree = /^[0-9a-f]+(?=\0)/.exec(done.stdout)?.[0];
  if (done.code === 0 && tree) return tree === (await treeOf(repo, head)) ? { kind: 'contained' } : { kind: 'clean', tree };
  if (done.code === 1 && tree) return { kind: 'conflict', report: await report(repo, readMergeOutput(done.stdout), submission) };
  // Exit 1 without a tree is a commit that is not there; other failures may pass.
  if (done.code === 1) return { kind: 'error', reason: `cannot be merged: ${oneLine(done.stderr, 200)}` };
  if (done.stderr.includes('unrelated histories')) return { kind: 'error', reason: `shares no history with ${submission.target}` };
  throw new GitError(args, done);
}

async function report(repo: Repo, merged: MergeOutput, submission: Submission): Promise<ConflictReport> {
  const { head, sha, task, attempt, intent, target } = submission;
  const base = (await tryGit(repo, ['merge-base', head, sha])).stdout.split('\n')[0] || null;
  const shown = merged.files.slice(0, FILES);
  const landings =
    base === null
      ? new Map<string, ConflictFile['oursTasks']>()
      : await landingsByPath(
          repo,
          base,
          head,
          shown.map((file) => file.path),
        );
  const files: ConflictFile[] = [];
  let room = REPORT_BYTES;
  for (const file of shown) {
    const hunks = await markers(repo, merged.tree, file, room);
    room -= hunks.reduce((sum, hunk) => sum + Buffer.byteLength(hunk.text), 0);
    files.push({ ...file, hunks, oursTasks: landings.get(file.path) ?? [], theirsTasks: [{ task, intent: oneLine(intent) }] });
  }
  const ref = await keepMarkers(repo, merged.tree, submission);
  const omitted = merged.files.length - shown.length;
  return { version: 1, task, attempt, target, base, ours: head, theirs: sha, ref, files, omitted, suggested: `git merge --no-ff ${head}` };
}

/** The regions of a file that both sides have as text; a file that one side deleted or renamed has none. */
async function markers(repo: Repo, tree: string, file: MergeOutput['files'][number], room: number) {
  const text = (side: '2' | '3') => file.stages[side]?.mode.startsWith('100');
  if (room <= 0 || file.kind === 'binary' || !text('2') || !text('3')) return [];
  const blob = await tryGit(repo, ['cat-file', 'blob', `${tree}:${file.path}`]);
  return blob.code === 0 ? hunksOf(blob.stdout, room) : [];
}

/** Which landings on the head's side touched each path. Only the first-parent chain counts: those trailers are ours. */
async function landingsByPath(
  repo: Repo,
  base: string,
  head: string,
  paths: readonly string[],
): Promise<Map<string, ConflictFile['oursTasks']>> {
  const trailer = (key: string) => `%(trailers:key=${key},valueonly,separator=%x2C)`;
  const format = `%x01%H%x02%s%x02${trailer('Furrow-Task')}%x02${trailer('Furrow-Phase')}`;
  const walk = ['--first-parent', '--diff-merges=first-parent', '--max-count=500', '--name-only', '--no-renames', '-z'];
  const out = await git(repo, ['--literal-pathspecs', 'log', ...walk, `--format=${format}`, `${base}..${head}`, '--', ...paths]);
  const found = new Map<string, { task: string; commit: string; intent: string }[]>();
  for (const record of out.split('\x01').slice(1)) {
    const [header = '', ...touched] = record.split('\0');
    const [commit = '', subject = '', tasks = '', phase = ''] = header.split('\x02');
    for (const path of touched.map((name) => name.replace(/^\n/, '')).filter(Boolean)) {
      const named = tasks.split(',').filter(Boolean);
      const entries = named.map((id) => ({ task: `${phase || 'default'}/${id}`, commit, intent: oneLine(subject, 120) }));
      found.set(path, [...(found.get(path) ?? []), ...entries]);
    }
  }
  return found;
}

/** Keeps the merge as git left it under a name, so that the report's lines can be looked at later. */
async function keepMarkers(repo: Repo, tree: string, { head, sha, task }: Submission): Promise<string> {
  const ref = `refs/furrow/conflict/${task}`;
  // The submitted commit's own date: the same conflict is the same commit.
  const at = Number(await git(repo, ['show', '-s', '--format=%ct', sha])) * 1000;
  const message = `conflict of ${task} with the head\n`;
  const commit = await commitTree(repo, { tree, parents: [head, sha], message, author: FURROW, committer: FURROW, at });
  await moveRef(repo, { ref, to: commit, from: (await resolve(repo, ref)) ?? null });
  return ref;
}
