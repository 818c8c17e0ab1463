import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { readBlobs } from '../../../platform/git/blobs.ts';
import { mergeOne } from '../../../platform/git/merge-tree.ts';
import { type Aside, withAside } from '../../../platform/git/own-object-store.ts';
import { isAncestor } from '../../../platform/git/refs.ts';
import { git, type Repo } from '../../../platform/git/run.ts';
import { outputOf } from '../conflict.ts';
import { hasMarkers, isBinary } from './blobs.ts';
import { layConflicts, ownResolutions, recordPreimages, rerere } from './rerere.ts';
import type { Conflicted } from './rules.ts';

export interface Lesson {
  /** The head that the work was handed back for. */
  readonly ours: string;
  /** The commit that was handed back. */
  readonly theirs: string;
  /** The commit submitted in its place, which has merged the head. */
  readonly resolved: string;
}

/**
 * Records how a conflict was resolved, so that the same conflict is resolved by itself next time. It reads the merge commit, not the tip:
 * later work in the same file would be replayed as part of the resolution. Returns the paths learned from; the newest resolution of a
 * conflict replaces an older one.
 */
export async function learn(repo: Repo, lesson: Lesson): Promise<string[]> {
  const learned: string[] = [];
  for (const { merge, head, side } of await mergesOf(repo, lesson)) {
    const { answer } = await mergeOne(repo, head, side);
    if (answer && !answer.clean) learned.push(...(await record(repo, answer.tree, merge, outputOf(answer).files)));
  }
  return learned;
}

interface MergeOf {
  readonly merge: string;
  /** The commit that the agent merged: the head from its report, or a later one. */
  readonly head: string;
  readonly side: string;
}

/** The merges of the head, or of a later head, into the work that was handed back or its additions. */
async function mergesOf(repo: Repo, { ours, theirs, resolved }: Lesson): Promise<MergeOf[]> {
  const args = ['rev-list', '--merges', '--parents', '--max-count=100', `--ancestry-path=${theirs}`, resolved, `^${ours}`, `^${theirs}`];
  const merges = (await git(repo, args)).split('\n').map((line) => line.split(' '));
  const found: MergeOf[] = [];
  for (const [merge, ...parents] of merges) {
    if (!merge || parents.length !== 2) continue;
    const [ofHead, ofWork] = await Promise.all([ours, theirs].map((of) => Promise.all(parents.map((one) => isAncestor(repo, of, one)))));
    const head = parents.filter((_, at) => ofHead![at] && !ofWork![at]);
    const side = parents.filter((_, at) => ofWork![at] && !ofHead![at]);
    if (head.length === 1 && side.length === 1) found.push({ merge, head: head[0]!, side: side[0]! });
  }
  return found;
}

async function record(repo: Repo, tree: string, merge: string, files: readonly Conflicted[]): Promise<string[]> {
  const plain = files.filter(({ stages: { 2: ours, 3: theirs } }) => ours?.mode.startsWith('100') && theirs?.mode.startsWith('100'));
  return withAside(repo, tree, async (aside) => {
    const names = plain.map(({ path }) => `${merge}:${path}`);
    const answers = await readBlobs(repo, aside, names);
    const pairs = plain.flatMap((file, at) => {
      const bytes = answers[at];
      return bytes && !isBinary(bytes) && !hasMarkers(bytes) ? [{ file, bytes }] : [];
    });
    const taught = pairs.map(({ file }) => file);
    await layConflicts(repo, aside, tree, taught);
    const noted = await recordPreimages(repo, aside);
    await Promise.all(pairs.map(({ bytes }, at) => writeFile(join(aside.files, String(at)), bytes)));
    await rerere(repo, aside);
    for (const id of new Set(noted.map((one) => one.id))) await keep(repo, aside, id);
    return noted.map(({ at }) => taught[at]!.path);
  });
}

/** The older record goes with the aside. If killed in between, a resolution is lost, which costs one more handback. */
async function keep(repo: Repo, aside: Aside, id: string): Promise<void> {
  const home = await ownResolutions(repo);
  await mkdir(home, { recursive: true, mode: 0o700 });
  await rename(join(home, id), join(aside.dir, `older-${id}`)).catch(() => {});
  await rename(join(aside.dir, 'rr-cache', id), join(home, id));
}
