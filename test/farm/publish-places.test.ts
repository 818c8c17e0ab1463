import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { farm, type TestFarm } from '../support/farm.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';

const asked = async (running: TestFarm) => (await running.ask('status')).attention as { kind: string; reason: string }[];

async function branch(repo: TestRepo, name: string): Promise<void> {
  await repo.git('switch', '--quiet', '--create', name, 'main');
  await repo.write(`${name}.txt`, `${name}\n`);
  await repo.git('add', '.');
  await repo.git('commit', '--quiet', '--message', name);
}

it('landings are published where the git folder is elsewhere; a publication that fails again and again is a question', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': 'check: "true"\n' });
  await repo.git('init', '--quiet', `--separate-git-dir=${join(repo.base, 'elsewhere.git')}`);
  await branch(repo, 'one');
  await repo.git('switch', '--quiet', 'main');
  repo.env['FURROW_FAULT'] = 'publish.rehearsed:1:EIO,publish.held:1:EIO';
  await using running = farm(repo);
  await running.furrow('submit', 'one');
  // Both tries fail, 3 s apart; the third goes well.
  await expect.poll(async () => (await asked(running)).map(({ kind }) => kind), { timeout: 40_000, interval: 200 }).toEqual(['act']);
  expect((await asked(running))[0]?.reason ?? '').toMatch(/could not publish what has landed, 2 times in a row: EIO/);
  await expect.poll(() => asked(running)).toEqual([]);
  expect(await readFile(join(repo.root, 'one.txt'), 'utf8')).toBe('one\n');
  expect(await repo.git('status', '--porcelain')).toBe('');
});

it('a target that is checked out in a locked worktree which is not there is a question at once, with what to do', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': 'check: "true"\n' });
  await branch(repo, 'one');
  const disk = join(repo.base, 'disk');
  await repo.git('worktree', 'add', '--quiet', join(disk, 'wt'), 'main');
  await repo.git('worktree', 'lock', join(disk, 'wt'));
  await rename(disk, join(repo.base, 'unmounted'));
  await using running = farm(repo);
  await running.furrow('submit', 'one');
  await expect
    .poll(async () => (await asked(running)).map(({ reason }) => reason))
    .toEqual([
      expect.stringMatching(
        /^1 landing waits for your checkout: .*wt has main checked out and is not there.*mount it, or .*git worktree unlock/,
      ),
    ]);
  await rename(join(repo.base, 'unmounted'), disk);
  await expect.poll(() => asked(running)).toEqual([]);
  expect(await readFile(join(disk, 'wt', 'one.txt'), 'utf8')).toBe('one\n');
});
