import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { commitTree } from '../../../src/platform/git/objects.ts';
import { git } from '../../../src/platform/git/run.ts';
import { trashed } from '../../../src/repo/worktree/dispose.ts';
import { harvest } from '../../../src/repo/worktree/harvest.ts';
import { ownWorktree } from '../../../src/repo/worktree/own.ts';
import { commitAll } from '../../../src/repo/worktree/snapshot.ts';
import { farm, type TestFarm } from './farm.ts';

const BRANCH = 'furrow/p/ada/1';
const author = { name: 'Ada', email: 'ada@example.org' };

const plants: [what: string, plant: (file: string) => void][] = [
  ['a symbolic ref to main', (file) => writeFileSync(file, 'ref: refs/heads/main\n')],
  ['a symbolic ref to a branch that is not there', (file) => writeFileSync(file, 'ref: refs/heads/new\n')],
  ['a named pipe', (file) => execFileSync('mkfifo', [file])],
];

/** A worktree whose agent has put something in the place of its branch, and another commit for it to be moved to. */
async function withPlanted(f: TestFarm, plant: (file: string) => void): Promise<string> {
  await f.prepare('ada', '1');
  const file = join(f.gitDir, 'refs/heads', BRANCH);
  rmSync(file);
  plant(file);
  const tree = f.sh(['rev-parse', 'main^{tree}']);
  return commitTree(f, { tree, parents: [f.base], message: 'next\n', author, committer: author, at: 0 });
}

const branches = (f: TestFarm) => f.sh(['for-each-ref', '--format=%(objectname) %(refname)%(symref)', 'refs/heads']).split('\n');

describe.each(plants)('a branch that an agent replaced by %s', (_, plant) => {
  it('has no work on it, and is not committed to', async () => {
    await using f = await farm();
    await withPlanted(f, plant);
    f.put('ada', 'work.txt', 'work\n');
    const left = await harvest(f, f.pathOf('ada'), { branch: BRANCH, base: f.base });
    expect(left).toMatchObject({ tip: undefined, commits: 0, planted: expect.stringContaining(BRANCH) });
    await expect(commitAll(f, f.pathOf('ada'), { branch: BRANCH, message: 'x\n', author, at: 0 })).rejects.toThrow();
    rmSync(join(f.gitDir, 'refs/heads', BRANCH));
    expect(branches(f)).toEqual([`${f.base} refs/heads/main`]);
  });

  it.each([false, true])('is begun anew, fresh worktree: %s; what it led to is where it was', async (fresh) => {
    await using f = await farm();
    const next = await withPlanted(f, plant);
    f.put('ada', 'work.txt', 'work\n');
    await f.prepare('ada', '1', { continueFrom: next, fresh });
    expect(branches(f)).toEqual([`${next} refs/heads/${BRANCH}`, `${f.base} refs/heads/main`]);
    expect(f.sh(['symbolic-ref', 'HEAD'], f.pathOf('ada'))).toBe(`refs/heads/${BRANCH}`);
    expect((await trashed(f.places)).some((path) => path.includes('-planted-'))).toBe(true);
  });
});

it('a second attempt moves its branch, and one that somebody moved meanwhile is not taken', async () => {
  await using f = await farm();
  const next = await withPlanted(f, (file) => writeFileSync(file, `${f.base}\n`));
  await f.prepare('ada', '1', { continueFrom: next });
  expect(await git(f, ['rev-parse', BRANCH])).toBe(next);
  await git(f, ['pack-refs', '--all']);
  await f.prepare('ada', '1', { continueFrom: f.base });
  expect(await git(f, ['rev-parse', BRANCH])).toBe(f.base);
  expect(readFileSync(join(f.gitDir, 'worktrees/ada/HEAD'), 'utf8')).toBe(`ref: refs/heads/${BRANCH}\n`);
});

describe.each(['gitdir', 'commondir', 'HEAD'])('a registration whose %s is garbage', (name) => {
  it('is named with that file, and the next attempt begins in a worktree of its own', async () => {
    await using f = await farm();
    await f.prepare('ada', '1');
    const file = join(f.gitDir, 'worktrees/ada', name);
    writeFileSync(file, name === 'commondir' ? '' : 'garbage \x01\xff [more\n');
    await expect(ownWorktree(f, f.pathOf('ada'))).rejects.toThrow(`not a registered worktree: ${file}`);
    await f.prepare('ada', '1');
    expect(f.sh(['symbolic-ref', 'HEAD'], f.pathOf('ada'))).toBe(`refs/heads/${BRANCH}`);
  });
});
