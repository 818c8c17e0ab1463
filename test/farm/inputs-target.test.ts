import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { farm, furrowIn, killDaemon } from '../support/farm.ts';
import { gitRepo, type TestRepo } from '../support/repo.ts';

/** A branch that changes one file, made without touching the checkout. */
async function branch(repo: TestRepo, name: string, from = 'main'): Promise<void> {
  const blob = await repo.git('rev-parse', `${from}:README.md`);
  const entries = await repo.git('ls-tree', from);
  await repo.write(`../tree-${name}`, `${entries}\n100644 blob ${blob}\t${name}.txt\n`);
  const done = await repo.git('-c', 'alias.mk=!f() { git mktree < "$1"; }; f', 'mk', join(repo.base, `tree-${name}`));
  await repo.git('branch', name, await repo.git('commit-tree', '-p', from, '-m', name, done));
}

const lives = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

const FILES = { 'furrow.yaml': 'check: "true"\n', 'README.md': 'x\n' };

it('the target stays what it is when the daemon is killed and another branch is checked out', async () => {
  await using repo = await gitRepo(FILES);
  await branch(repo, 'one');
  await using running = farm(repo);
  expect((await running.ask('queue')).target).toBe('main');
  await killDaemon(running);
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

it('a branch that was target once lands only on the target that its entry names', async () => {
  await using repo = await gitRepo(FILES);
  for (const name of ['one', 'two', 'three']) await branch(repo, name);
  await repo.git('branch', 'release');
  await using running = farm(repo);
  await running.furrow('queue', 'pause');
  expect(await running.furrow('submit', 'one')).toMatchObject({ code: 0 });
  expect(await running.furrow('submit', 'two')).toMatchObject({ code: 0 });
  await repo.write('furrow.yaml', 'check: "true"\ntarget: release\n');
  expect(await running.furrow('submit', 'three')).toMatchObject({ code: 0 });
  const queue = await running.ask('queue');
  expect(queue.target).toBe('release');
  expect(queue.entries.map((entry: { target: string }) => entry.target)).toEqual(['main', 'main', 'release']);
  expect(queue.entries[2].reason).toBe('waits until the 2 entries for main have landed or left the queue');
  await killDaemon(running);
  expect(await running.furrow('queue', 'resume')).toMatchObject({ code: 0 });
  const names = (ref: string) => repo.git('ls-tree', '--name-only', ref);
  await expect.poll(() => names('release')).toContain('three.txt');
  await expect.poll(() => names('main')).toContain('two.txt');
  expect(await names('main')).toContain('one.txt');
  expect(await names('main')).not.toContain('three.txt');
  expect(await names('release')).not.toMatch(/one|two/);
  expect((await running.ask('config')).target).toBe('release');
});

it('what landed on the target before is still published, when the checkout lets it and after a crash', async () => {
  await using repo = await gitRepo(FILES);
  for (const name of ['one', 'two']) await branch(repo, name);
  await repo.git('branch', 'release');
  await repo.write('one.txt', 'in the way\n');
  await using running = farm(repo);
  expect(await running.furrow('submit', 'one')).toMatchObject({ code: 0 });
  const waits = async () => (await running.ask('status')).queue.waiting;
  await expect.poll(waits).toContain('one.txt');
  await repo.write('furrow.yaml', 'check: "true"\ntarget: release\n');
  expect(await running.furrow('submit', 'two', '--wait')).toMatchObject({ code: 0 });
  await expect.poll(() => repo.git('ls-tree', '--name-only', 'release')).toContain('two.txt');
  await killDaemon(running);
  await expect.poll(waits).toMatch(/^main: .*one\.txt/);
  expect(await repo.git('ls-tree', '--name-only', 'main')).not.toContain('one.txt');
  await rm(join(repo.root, 'one.txt'));
  await expect.poll(() => repo.git('ls-tree', '--name-only', 'main')).toContain('one.txt');
  await expect.poll(waits).toBeNull();
});

it('a landing that a crash cut short goes to the target it was decided for', async () => {
  await using repo = await gitRepo(FILES);
  await branch(repo, 'one');
  await repo.git('branch', 'release');
  await using running = farm(repo);
  await furrowIn(repo, { env: { FURROW_FAULT: 'landing.land.before:1:kill' } }, 'list');
  const { pid } = (await running.ask('status')).farm;
  expect(await running.furrow('submit', 'one')).toMatchObject({ code: 0 });
  await expect.poll(() => lives(pid)).toBe(false);
  await repo.write('furrow.yaml', 'check: "true"\ntarget: release\n');
  await expect.poll(async () => (await running.ask('queue')).landings).toMatchObject([{ target: 'main' }]);
  await expect.poll(() => repo.git('ls-tree', '--name-only', 'main')).toContain('one.txt');
  expect(await repo.git('ls-tree', '--name-only', 'release')).not.toContain('one.txt');
  expect((await running.ask('config')).target).toBe('release');
});
