import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { stringify } from 'yaml';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { gitRepo } from '../support/repo.ts';

const yaml = (...setup: string[]) =>
  stringify({ agent: 'scripted', agents: { scripted: { driver: 'scripted' } }, worktree: { setup, copy: ['.env'] } });

it('a worktree that a person takes over is set up as for an agent; what needs a port of an agent is left to them', async () => {
  const port = 'echo $PORT > port.txt';
  await using repo = await gitRepo({
    'furrow.yaml': yaml('mkdir -p deps && cp lock deps/installed', port),
    '.gitignore': 'deps\n.env\nport.txt\n',
    lock: '1\n',
  });
  await repo.write('.env', 'KEY=1\n');
  await writeBoard(repo, [{ id: 1, script: ['commit nothing'] }]);
  await repo.commit('board');
  await using running = farm(repo);
  const { worktree, ...taken } = await running.ask('take', '1');
  expect(taken).toMatchObject({ problem: null, setup: [port] });
  expect(await readFile(join(worktree, 'deps/installed'), 'utf8')).toBe('1\n');
  expect(await readFile(join(worktree, '.env'), 'utf8')).toBe('KEY=1\n');
  expect(existsSync(join(worktree, 'port.txt'))).toBe(false);
  expect((await running.furrow('take', '1')).stdout).toContain(`not run here: ${port}\n`);
});

it('a set-up that fails is said, and the worktree is handed over all the same', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': yaml('echo Error: no registry; exit 7'), 'a.txt': 'a\n' });
  await writeBoard(repo, [{ id: 1, script: ['commit nothing'] }]);
  await repo.commit('board');
  await using running = farm(repo);
  const first = await running.furrow('take', '1');
  expect(first).toMatchObject({ code: 0, stdout: expect.stringMatching(/it is not set up: .*exit 7.*no registry.*Output: /) });
  const { worktree, problem, setup } = await running.ask('take', '1');
  expect([problem, setup]).toEqual([expect.stringContaining('no registry'), ['echo Error: no registry; exit 7']]);
  expect(await readFile(join(worktree, 'a.txt'), 'utf8')).toBe('a\n');
});

it('what a person did on a task that they took over is what `furrow diff` shows once it is given back, and not the attempt before', async () => {
  await using repo = await gitRepo({ 'furrow.yaml': `${yaml()}attempts: 1\n`, 'a.txt': 'a\n' });
  await writeBoard(repo, [{ id: 1, script: ['write agents.txt theirs', 'commit theirs', 'fail no idea'] }]);
  await repo.commit('board');
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  const { worktree } = await running.ask('take', '1');
  await writeFile(join(worktree, 'persons.txt'), 'mine\n');
  expect(await running.furrow('give', '1')).toMatchObject({ code: 0 });
  const { text, files } = await running.ask('diff', '1');
  expect(text).toContain('given back by a person');
  expect(files.map(({ path }: { path: string }) => path)).toContain('persons.txt');
});
