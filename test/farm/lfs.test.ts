import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { chmod, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parsePointer } from '../../src/platform/lfs/pointer.ts';
import { writeBoard } from '../support/board.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { skipWithout, titled, without } from '../support/needs.ts';
import type { TestRepo } from '../support/repo.ts';
import { SHELL, shellRepo } from './shell.ts';

/** What `git lfs install` writes into the user's own configuration. */
const CONFIG = `[filter "lfs"]
	clean = git-lfs clean -- %f
	smudge = git-lfs smudge -- %f
	process = git-lfs filter-process
	required = true
[user]
	name = Test
	email = test@furrow.invalid
`;

async function withLfs(repo: TestRepo): Promise<void> {
  await writeFile(join(repo.home, '.gitconfig'), CONFIG);
  // Not this machine's own system configuration: the user's file alone must do.
  repo.env['GIT_CONFIG_NOSYSTEM'] = '1';
}

const states = async (running: TestFarm): Promise<string[]> => (await running.ask('list')).map((task: { state: string }) => task.state);
const published = async (running: TestFarm) => {
  const { head, published: at } = await running.ask('queue');
  return head === at;
};

it('work is published while git-lfs is configured and no file needs it', async () => {
  await using repo = await shellRepo({ 1: 'echo x > src/x.txt; git add src; git commit --quiet --message x' });
  await withLfs(repo);
  await using running = farm(repo);
  await writeBoard(repo, [{ id: 1 }]);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(() => existsSync(join(repo.root, 'src/x.txt'))).toBe(true);
  await expect.poll(() => published(running)).toBe(true);
  expect((await running.ask('status')).attention).toEqual([]);
});

it.for(['none', 'guard', 'strict'])(
  'a large file is a pointer in git and whole in the worktree, in the check and in the checkout: isolation %s',
  async (level, context) => {
    skipWithout('git-lfs', context);
    if (level !== 'none') skipWithout('bwrap', context);
    const big = 'head -c 200000 /dev/zero | tr "\\\\0" "$FURROW_TASK" > src/$FURROW_TASK.bin';
    // The first commits by itself, through its own git; for the second furrow does it. Each must see the file that was there.
    const seen = 'test "$(wc -c < src/0.bin)" = 100000';
    const tasks = { 1: `${seen}; ${big}; git add src; git commit --quiet --message 1`, 2: `${seen}; ${big}` };
    const config = `${SHELL.replace('FURROW_TASK.sh"', 'FURROW_TASK.sh", commit: auto')}isolation: ${level}\n`;
    const check = 'for f in src/*.bin; do test "$(wc -c < $f)" -ge 100000 || { echo "$f is a pointer"; exit 1; }; done\n';
    await using repo = await shellRepo(tasks, config, {
      'check.sh': check,
      '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n',
    });
    await withLfs(repo);
    const lfs = (...args: string[]) =>
      execFileSync('git', args, { cwd: repo.root, env: { ...process.env, ...repo.env, HOME: repo.home }, encoding: 'utf8' });
    await writeFile(join(repo.root, 'src/0.bin'), 'y'.repeat(100_000));
    lfs('add', 'src');
    lfs('commit', '--quiet', '--message', 'a large file');
    await using running = farm(repo);
    await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
    await running.furrow('work', '--parallel', '2', '--detach');
    await expect.poll(() => states(running)).toEqual(['landed', 'landed']);
    await expect.poll(() => published(running)).toBe(true);
    for (const task of ['1', '2']) {
      expect(parsePointer(Buffer.from(`${await repo.git('show', `main:src/${task}.bin`)}\n`))).toMatchObject({ size: 200_000 });
      expect(await readFile(join(repo.root, `src/${task}.bin`), 'utf8')).toBe(task.repeat(200_000));
    }
    expect(lfs('status', '--porcelain', 'src')).toBe('');
    expect(lfs('lfs', 'fsck')).toContain('OK');
  },
);

it.skipIf(without('git-lfs'))(
  titled('git-lfs', 'an agent commits through hooks that git does not carry, and git-lfs adds none of its own to the work'),
  async () => {
    const task = 'head -c 200000 /dev/zero > src/1.bin; git add --all; git commit --quiet --message 1';
    await using repo = await shellRepo({ 1: task }, SHELL, { '.gitattributes': '*.bin filter=lfs diff=lfs merge=lfs -text\n' });
    await withLfs(repo);
    // As husky leaves it in the checkout.
    await repo.git('config', 'core.hooksPath', '.husky/_');
    await repo.write('.husky/_/.gitignore', '*\n');
    await repo.write('.husky/_/pre-commit', '#!/bin/sh\necho passed > src/hook.txt; git add src\n');
    await chmod(join(repo.root, '.husky/_/pre-commit'), 0o755);
    await using running = farm(repo);
    await writeBoard(repo, [{ id: 1 }]);
    await running.furrow('work', '--parallel', '1', '--detach');
    await expect.poll(() => states(running)).toEqual(['landed']);
    await expect.poll(() => published(running)).toBe(true);
    expect((await repo.git('show', '--name-only', '--format=', 'main')).trim().split('\n')).toEqual(['src/1.bin', 'src/hook.txt']);
    expect((await running.ask('status')).attention).toEqual([]);
  },
);
