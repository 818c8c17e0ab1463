import type { Stage } from '../../platform/git/merge-output.ts';
import { git, type Repo, tryGit } from '../../platform/git/run.ts';
import { type Change, smallBlobs } from './changes.ts';
import type { MergeOutput } from './conflict.ts';

/** The specification's limit of a pointer file. */
const POINTER_BYTES = 1024;
const POINTER = /^version https:\/\/(git-lfs\.github\.com|hawser\.github\.com)\/spec\//;

/**
 * A pointer to a large file is text to git, so git merges two changed ones line by line: the id of one, the size of the other, and a file
 * that exists nowhere. Such a merge is a conflict, whatever git says.
 */
export async function asPointerConflict(
  repo: Repo,
  sides: { ours: string; theirs: string },
  merged: MergeOutput,
  all: readonly Change[],
): Promise<MergeOutput> {
  const woven = all.filter((change) => merged.woven.includes(change.path));
  const blobs = await smallBlobs(
    repo,
    woven.map(({ oid }) => oid),
    POINTER_BYTES,
  );
  const mixed = woven.filter(({ oid }) => POINTER.test(blobs.get(oid) ?? ''));
  if (mixed.length === 0) return merged;
  const base = (await tryGit(repo, ['merge-base', sides.ours, sides.theirs])).stdout.split('\n')[0] ?? '';
  const files = mixed.map(async ({ path, old }) => ({
    path,
    kind: 'large file',
    stages: { 1: base ? await stageOf(repo, base, path) : null, 2: old, 3: await stageOf(repo, sides.theirs, path) },
  }));
  return { ...merged, clean: false, files: await Promise.all(files) };
}

async function stageOf(repo: Repo, commit: string, path: string): Promise<Stage | null> {
  const line = await git(repo, ['--literal-pathspecs', 'ls-tree', '-z', '--full-tree', commit, '--', path]);
  const [, mode, oid] = /^(\d+) blob ([0-9a-f]+)\t/.exec(line) ?? [];
  return mode && oid ? { mode, oid } : null;
}
