import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { logExec } from '../../../src/platform/exec.ts';
import { linkedAt } from '../../../src/platform/git/admin.ts';
import { pinLost } from '../../../src/platform/git/keep.ts';
import { gitRepo } from '../../support/repo.ts';

it('commits that only a worktree keeps are pinned, also beside a branch whose commit is gone', async () => {
  await using repo = await gitRepo({ 'a.txt': 'a\n' });
  const path = join(repo.base, 'worktree');
  await repo.git('worktree', 'add', '--quiet', '--detach', path);
  await repo.git('-C', path, 'commit', '--quiet', '--allow-empty', '--message', 'only here');
  const only = await repo.git('-C', path, 'rev-parse', 'HEAD');
  // As a `git gc --prune=now` leaves it that runs in the moment of a commit.
  await mkdir(join(repo.root, '.git/refs/heads/furrow/default/ada'), { recursive: true });
  await writeFile(join(repo.root, '.git/refs/heads/furrow/default/ada/9'), `${'1234567890'.repeat(4)}\n`);

  const at = { root: repo.root, gitDir: join(repo.root, '.git') };
  const ref = await pinLost(at, (await linkedAt(at, path))!);

  expect(await repo.git('rev-parse', ref!)).toBe(only);
});

it('a worktree in which nothing was done is asked about without a git: its only commit is kept', async () => {
  await using repo = await gitRepo({ 'a.txt': 'a\n' });
  const path = join(repo.base, 'worktree');
  await repo.git('worktree', 'add', '--quiet', '-b', 'work', path);
  const tip = await repo.git('rev-parse', 'work');
  const at = { root: repo.root, gitDir: join(repo.root, '.git') };
  const linked = (await linkedAt(at, path))!;
  const asked: string[] = [];
  logExec(({ argv }) => asked.push(argv.join(' ')));
  try {
    expect(await pinLost(at, linked, [tip])).toBeUndefined();
    expect(asked).toEqual([]);
  } finally {
    logExec(() => {});
  }
});

it('a worktree that stays is asked about once for each commit, and what is reset away later is pinned all the same', async () => {
  await using repo = await gitRepo({ 'a.txt': 'a\n' });
  const path = join(repo.base, 'worktree');
  await repo.git('worktree', 'add', '--quiet', '-b', 'work', path);
  const at = { root: repo.root, gitDir: join(repo.root, '.git') };
  const tip = await repo.git('rev-parse', 'work');
  const commit = async (name: string) => {
    await repo.git('-C', path, 'commit', '--quiet', '--allow-empty', '--message', name);
    return repo.git('-C', path, 'rev-parse', 'HEAD');
  };
  const look = async (kept?: readonly string[]) => pinLost(at, (await linkedAt(at, path))!, kept);
  const first = await commit('reset away');
  await repo.git('-C', path, 'reset', '--quiet', '--hard', tip);
  expect(await repo.git('rev-parse', (await look([tip]))!)).toBe(first);

  const asked: string[] = [];
  logExec(({ argv }) => asked.push(argv.join(' ')));
  try {
    expect(await look([tip])).toBeUndefined();
    expect(asked).toEqual([]);
  } finally {
    logExec(() => {});
  }
  const second = await commit('reset away later');
  await repo.git('-C', path, 'reset', '--quiet', '--hard', tip);
  expect(await repo.git('rev-parse', (await look([tip]))!)).toBe(second);

  // A registration that is to go is looked at whole.
  await repo.git('update-ref', '-d', `refs/furrow/pin-worktree/worktree/${first.slice(0, 16)}`);
  expect(await repo.git('rev-parse', (await look())!)).toBe(first);
});
