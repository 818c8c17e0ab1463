import { execFileSync } from 'node:child_process';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { without } from '../support/needs.ts';
import type { TestRepo } from '../support/repo.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

/** A repository with the submodule `sub`; its origin is gone, and no set-up brings it anywhere. */
async function withSubmodule(tasks: Record<string, string>, check: string, level: string): Promise<TestRepo> {
  const repo = await shellRepo(tasks, SHELL, { 'check.sh': `${check}\n` });
  const sub = join(repo.base, 'sub');
  const git = (...args: string[]) => execFileSync('git', args, { env: { ...process.env, ...repo.env, HOME: repo.home } });
  git('init', '--quiet', sub);
  await writeFile(join(sub, 'a.txt'), 'a\n');
  git('-C', sub, 'add', 'a.txt');
  git('-C', sub, '-c', 'user.name=A', '-c', 'user.email=a@b', 'commit', '--quiet', '--message', 'first of sub');
  git('-C', repo.root, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', sub, 'sub');
  await rm(sub, { recursive: true });
  await repo.write('furrow.yaml', `${SHELL}isolation: ${level}\n`);
  await repo.commit('a submodule');
  return repo;
}

it.each(['none', 'guard'])(
  'agents and checks have the submodules of their commit without a set-up, a network or its origin (isolation: %s)',
  async (level) => {
    if (level === 'guard' && without('bwrap')) return;
    const use = 'test "$(cat sub/a.txt)" = a && test "$(git -C sub log -1 --format=%s)" = "first of sub" && git submodule update --init';
    await using repo = await withSubmodule({ 1: `${use}\n${commits('1')}`, 2: `${use}\n${commits('2')}` }, `${use}`, level);
    await writeBoard(repo, [{ id: 1 }, { id: 2 }]);
    await using running = farm(repo);
    const done = await running.furrow('work', '--parallel', '1');
    expect(done, done.stdout + done.stderr).toMatchObject({ code: 0 });
    expect(await repo.git('ls-tree', '--name-only', 'main', 'src/1.txt', 'src/2.txt')).toBe('src/1.txt\nsrc/2.txt');
    // Nobody worked in them, so nothing is kept.
    // A process of the last agent may take a moment to end.
    const left = async () => {
      const { stdout } = await running.furrow('clean');
      return (await repo.git('worktree', 'list')).includes('/worktrees/') ? stdout : '';
    };
    await expect.poll(left).toBe('');
  },
);

it('a check that fails says in its log which submodule the clone lacks', async () => {
  await using repo = await withSubmodule({ 1: commits('1') }, 'test -e sub/a.txt', 'none');
  await rm(join(repo.root, '.git/modules'), { recursive: true });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  expect((await running.furrow('doctor', '--check')).code).toBe(1);
  const log = await running.furrow('logs', 'check');
  expect(log.stdout + log.stderr).toContain('the submodule sub is not filled: it is not in ');
});

it('an agent that changes a file of a submodule is not taken to have done it, and what it changed is kept', async () => {
  await using repo = await withSubmodule({ 1: `echo mine > sub/a.txt\n${commits('1')}` }, 'true', 'none');
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  expect((await running.furrow('work', '--parallel', '1')).code).toBe(1);
  const [attempt] = (await running.ask('show', '1')).attempts;
  expect(attempt).toMatchObject({ outcome: 'failed', reason: expect.stringContaining('changed files in the submodule sub') });
  expect((await repo.tryGit('cat-file', '-e', 'main:src/1.txt')).code).not.toBe(0);
});
