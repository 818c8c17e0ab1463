import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { FurrowError } from '../error.ts';
import { resolve } from './refs.ts';
import type { Repo } from './run.ts';

/** A ref is a file or a folder, so beside a branch `furrow` git can make none of `furrow/<phase>/<agent>/<task>`. */
export const branchInWay = () =>
  new FurrowError('BRANCH_IN_WAY', 'a branch is named furrow, so git cannot make the branches furrow/<phase>/<agent>/<task> of agents', {
    hint: 'git branch -m furrow another-name',
  });

/** Does the same by looking at files, for a command that runs without git. */
export function assertNoBranchFile(gitDir: string): void {
  const file = join(gitDir, 'packed-refs');
  const packed = statSync(file, { throwIfNoEntry: false })?.isFile() ? readFileSync(file, 'utf8') : '';
  const loose = statSync(join(gitDir, 'refs', 'heads', 'furrow'), { throwIfNoEntry: false })?.isFile();
  if (loose || / refs\/heads\/furrow$/m.test(packed)) throw branchInWay();
}

export async function assertNoBranchInWay(repo: Repo): Promise<void> {
  if (await resolve(repo, 'refs/heads/furrow')) throw branchInWay();
}
