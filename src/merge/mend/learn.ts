import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isAncestor } from '../../platform/git/refs.ts';
import { git, type Repo } from '../../platform/git/run.ts';
import { readMergeOutput } from '../conflict.ts';
import { type Aside, withAside } from './aside.ts';
import { hasMarkers, isBinary, readBlobs } from './blobs.ts';
import { mergeTree } from './merge-tree.ts';
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
 * Records how a conflict was resolved, so that the next one of the same text resolves itself. The merge commit itself is
 * read, not the tip: work done after it in the same file would be replayed as if it were part of the resolution.
 * Returns the paths learned from; the newest lesson about a conflict replaces an older one.
 */
export async function learn(repo: Repo, lesson: Lesson): Promise<string[]> {
  const learned: string[] = [];
  for (const { merge, side } of await mergesOf(repo, lesson)) {
    const done = await mergeTree(repo, lesson.ours, side);
    if (done.code !== 1 || !done.stdout) continue;
    const { tree, files } = readMergeOutput(done.stdout);
    learned.push(...(await record(repo, tree, merge, files)));
  }
  return learned;
}

/** Merges of the head into the work that was handed back, or into what the agent had added to it by then. */
async function mergesOf(repo: Repo, { ours, theirs, resolved }: Lesson): Promise<{ merge: string; side: string }[]> {
  const out = await git(repo, ['rev-list', '--merges', '--parents', '--max-count=100', resolved, `^${ours}`, `^${theirs}`]);
  const merges = out.split('\n').map((line) => line.split(' '));
  const found: { merge: string; side: string }[] = [];
  for (const [merge, ...parents] of merges) {
    const side = parents.find((parent) => parent !== ours);
    if (!merge || !side || parents.length !== 2 || !parents.includes(ours)) continue;
    if (await isAncestor(repo, theirs, side)) found.push({ merge, side });
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

/** The older one goes with the aside. Killed in between, a lesson is forgotten, which costs one more handback. */
async function keep(repo: Repo, aside: Aside, id: string): Promise<void> {
  const home = await ownResolutions(repo);
  await mkdir(home, { recursive: true, mode: 0o700 });
  await rename(join(home, id), join(aside.dir, `older-${id}`)).catch(() => {});
  await rename(join(aside.dir, 'rr-cache', id), join(home, id));
}
