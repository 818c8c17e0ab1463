import { spawn } from 'node:child_process';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { taskFile, writeBoard } from '../support/board.ts';
import { CANARY, hostile } from '../support/hostile.ts';
import { fsck, replayChecks, snapshotUserFiles } from '../support/oracle.ts';
import { lives, look, processesOf } from '../support/processes.ts';
import { gitRepo } from '../support/repo.ts';

it('replays a check on every first-parent commit and names the red ones', async () => {
  await using repo = await gitRepo({ 'a.txt': 'good\n' });
  const first = await repo.git('rev-parse', 'HEAD');
  await repo.write('a.txt', 'bad\n');
  const bad = await repo.commit('bad');
  await repo.write('a.txt', 'good\n');
  await repo.commit('good again');
  const all = await replayChecks(repo, 'main', 'grep -q good a.txt');
  expect(all.commits).toHaveLength(3);
  expect(all.red.map(({ commit }) => commit)).toEqual([bad]);
  expect((await replayChecks(repo, 'main', 'grep -q good a.txt', first)).commits).toHaveLength(2);
  expect(await fsck(repo)).toEqual([]);
});

it('sees every byte that changes in files git does not keep for the user', async () => {
  await using repo = await gitRepo({ 'a.txt': 'a\n', '.gitignore': '*.env\n' });
  await repo.write('a.txt', 'changed\n');
  await repo.write('new.txt', 'new\n');
  await repo.write('secret.env', 'x\n');
  const before = await snapshotUserFiles(repo.root, repo);
  expect(Object.keys(before).sort()).toEqual(['a.txt', 'new.txt', 'secret.env']);
  await repo.write('.furrow/store.db', 'ours');
  expect(await snapshotUserFiles(repo.root, repo)).toEqual(before);
  await repo.write('secret.env', 'y\n');
  expect(await snapshotUserFiles(repo.root, repo)).not.toEqual(before);
});

it('writes a board that YAML reads back, whatever the titles are', async () => {
  await using repo = await gitRepo();
  for (const title of hostile) expect(parse(taskFile({ id: 7, title }).split(/^---$/m)[1]!).title).toBe(title);
  const names = await writeBoard(repo, [{ id: 1, title: 'A task!', depends_on: [2], script: ['say hi'] }], 'one');
  expect(names).toEqual(['board/one/tasks/001-a-task.md']);
});

it('has a corpus of many kinds, each able to run as one program or another, and none with a NUL', () => {
  expect(hostile.length).toBeGreaterThanOrEqual(60);
  expect(new Set(hostile).size).toBe(hostile.length);
  expect(hostile.filter((text) => text.includes('\0'))).toEqual([]);
  expect(hostile.filter((text) => text.includes(CANARY)).length).toBeGreaterThan(20);
});

it('finds a process by its environment, its folder or its words, and nobody else', async () => {
  await using repo = await gitRepo();
  const env = { PATH: process.env['PATH']! };
  const children = [
    spawn('sleep', ['60'], { env: { ...env, MARK: repo.base } }),
    spawn('sleep', ['60'], { env, cwd: repo.root }),
    spawn('sh', ['-c', 'read -r word # 60', repo.base], { env }),
    spawn('sleep', ['60'], { env }),
  ];
  await expect.poll(() => children.every(({ pid }) => look(pid!)?.command.includes('60'))).toBe(true);
  const found = processesOf(repo.base);
  expect(found.map(({ pid }) => pid).sort()).toEqual(
    children
      .slice(0, 3)
      .map(({ pid }) => pid!)
      .sort(),
  );
  for (const child of children) child.kill('SIGKILL');
  await expect.poll(() => found.filter(lives)).toEqual([]);
});
