import { join } from 'node:path';
import { expect, it } from 'vitest';
import { farm, type TestFarm } from '../support/farm.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';

/** A branch that changes one file, made without touching the checkout. */
async function branch(repo: TestRepo, name: string, from = 'main'): Promise<void> {
  const blob = await repo.git('rev-parse', `${from}:README.md`);
  const entries = await repo.git('ls-tree', from);
  await repo.write(`../tree-${name}`, `${entries}\n100644 blob ${blob}\t${name}.txt\n`);
  const done = await repo.git('-c', 'alias.mk=!f() { git mktree < "$1"; }; f', 'mk', join(repo.base, `tree-${name}`));
  await repo.git('branch', name, await repo.git('commit-tree', '-p', from, '-m', name, done));
}

const kill = async (running: TestFarm) => process.kill((await running.ask('status')).farm.pid, 'SIGKILL');

const FILES = { 'furrow.yaml': 'check: "true"\n', 'README.md': 'x\n' };

it('the target stays what it is when the daemon is killed and another branch is checked out', async () => {
  await using repo = await gitRepo(FILES);
  await branch(repo, 'one');
  await using running = farm(repo);
  expect((await running.ask('queue')).target).toBe('main');
  await kill(running);
  await repo.git('switch', '--quiet', '--create', 'feature');
  const before = await repo.git('rev-parse', 'feature');
  expect(await running.furrow('submit', 'one', '--wait')).toMatchObject({ code: 0 });
  expect((await running.ask('queue')).target).toBe('main');
  await expect.poll(() => repo.git('ls-tree', '--name-only', 'main')).toContain('one.txt');
  expect(await repo.git('rev-parse', 'feature')).toBe(before);
  const changes = (await running.events()).filter((event) => event.kind === 'target.changed');
  expect(changes.map((event) => event.data['target'])).toEqual(['main']);
});

it('a farm that first starts on a feature branch lands on the default branch', async () => {
  await using repo = await gitRepo(FILES);
  await branch(repo, 'one');
  await repo.git('switch', '--quiet', '--create', 'feature');
  const before = await repo.git('rev-parse', 'feature');
  await using running = farm(repo);
  expect(await running.furrow('submit', 'one', '--wait')).toMatchObject({ code: 0 });
  await expect.poll(() => repo.git('ls-tree', '--name-only', 'main')).toContain('one.txt');
  expect(await repo.git('rev-parse', 'feature')).toBe(before);
});
