import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { begin, farm } from '../support/farm.ts';
import { SHELL, shellRepo } from './shell.ts';

const AGENT =
  'echo half > src/1.txt; echo new > src/new.txt; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; git add -A src; git commit -qm 1';
const CHECK = 'echo begun; while [ ! -e ../../../gate ]; do sleep 0.05; done; printf "\\033[31mover\\033[0m\\n"\n';
const EVIL = 'sh -c "echo ran >> $HOME/evil"';

it('a person sees work in hand, in the queue and landed, its folder, and the output of its check while it runs', async () => {
  await using repo = await shellRepo({ 1: AGENT }, SHELL, { 'check.sh': CHECK, '.gitattributes': '*.txt diff=evil\n' });
  for (const key of ['diff.evil.command', 'diff.evil.textconv', 'diff.external']) await repo.git('config', key, EVIL);
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');

  // In hand: not a word of it is committed.
  const diff = async () => running.ask('diff', '1');
  await expect.poll(async () => (await running.furrow('diff', '1')).stdout).toContain('+new');
  const folder = (await running.furrow('path', '1')).stdout.trim();
  expect(await readFile(join(folder, 'src/1.txt'), 'utf8')).toBe('half\n');
  const index = (await repo.git('-C', folder, 'rev-parse', '--path-format=absolute', '--git-path', 'index')).trim();
  const before = await readFile(index);
  expect(await diff()).toMatchObject({
    shows: 'work',
    attempt: 1,
    uncommitted: true,
    files: [{ path: 'src/1.txt' }, { path: 'src/new.txt' }],
  });
  expect(await readFile(index)).toEqual(before);
  expect((await running.furrow('diff', '1', '--name-only', '--', 'src/new.txt')).stdout).toBe('src/new.txt\n');
  expect((await running.furrow('open', '1', '--with', 'ls')).stdout).toContain('check.sh');

  // In the queue: what would land. The check is read along until it ends.
  await writeFile(join(repo.home, 'go'), '');
  await expect.poll(async () => (await diff()).shows).toBe('entry');
  await expect.poll(async () => (await running.furrow('logs', '1')).stdout).toContain('begun');
  const along = begin(repo, 'logs', 'check', '--follow');
  await along.said('check check runs on');
  await writeFile(join(repo.base, 'gate'), '');
  const ended = await along.ended;
  expect(ended).toMatchObject({ code: 0, stdout: 'begun\nover\n', stderr: expect.stringContaining('check passed') });

  // Landed, and everything of its making gone.
  await expect.poll(async () => (await running.ask('list'))[0].state).toBe('landed');
  await running.furrow('stop');
  await running.furrow('clean');
  expect(await diff()).toMatchObject({ shows: 'landing', uncommitted: false, files: [{ path: 'src/1.txt' }, { path: 'src/new.txt' }] });
  expect(await running.furrow('path', '1')).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/1 landed as .*\n {2}try: furrow diff 1/),
  });
  expect((await running.furrow('logs', '1', '--attempt', '1')).stdout).toContain('attempt ended with exit 0');
  expect((await running.ask('logs', '1')).logs).toMatchObject([{ what: 'check', name: 'check', state: 'passed' }]);
  await running.furrow('add', 'nobody works on it');
  for (const command of ['logs', 'diff', 'path']) expect(await running.furrow(command, '2')).toMatchObject({ code: 1, stdout: '' });
  expect(await running.furrow('logs', 'nothing')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('there is no task, agent or check'),
  });
  await expect(readFile(join(repo.home, 'evil'))).rejects.toThrow();
});
