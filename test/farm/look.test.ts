import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
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
  await running.furrow('work', '--parallel', '1', '--detach', '--no-preflight');

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

it('what failed is told at once, with the lines that tell and the file, wherever somebody looks; so is a main that fails by itself', async () => {
  const noise = 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15; do echo "teardown $i"; done';
  const check = `if grep -rqs bad src; then echo "Error: src says $(cat src/why)"; ${noise}; exit 3; fi\n`;
  const agent = 'echo bad > src/1.txt; echo mine > src/why; git add -A src; git commit -qm 1';
  await using repo = await shellRepo({ 1: agent }, `attempts: 1\n${SHELL}`, { 'check.sh': check });
  await writeBoard(repo, [{ id: 1 }]);
  await repo.git('branch', 'fine');
  await using running = farm(repo);
  const said = async (...args: string[]) => (await running.furrow(...args)).stdout;
  const file = /\.furrow\/logs\/checks\/[0-9a-f]{12}-check-\d+\.log/;

  const work = await running.furrow('work', '--parallel', '1');
  expect(work.code).toBe(1);
  for (const text of [work.stdout, work.stderr, await said('why', '1'), await said('next'), await said('queue'), await said('show', '1')]) {
    expect(text).toContain('Error: src says mine');
    expect(text).toMatch(file);
    expect(text).not.toContain('teardown 9');
  }
  const client = await connect(repo.root, { start: false });
  const { prompt } = await client.call('prompt', { task: '1' });
  client.close();
  expect(prompt).toMatch(file);
  expect(prompt).toContain('Error: src says mine');
  expect((await running.ask('status')).attention[0].output).toMatchObject({ check: 'check', detail: 'exit 3' });

  await repo.write('src/broken.txt', 'bad\n');
  await repo.write('src/why', 'main\n');
  await repo.git('add', 'src');
  await repo.git('commit', '--quiet', '--message', 'break main');
  await repo.git('switch', '--quiet', 'fine');
  await repo.write('src/fine.txt', 'fine\n');
  await repo.git('add', 'src/fine.txt');
  await repo.git('commit', '--quiet', '--message', 'fine');
  await repo.git('switch', '--quiet', 'main');
  const submitted = await running.furrow('submit', 'fine', '--wait');
  const halted = /queue halted: main itself fails `check` \(exit 3\), before any task\. Output: \S+\.log/;
  expect(submitted.code).toBe(75);
  expect(submitted.stdout + submitted.stderr).toMatch(halted);
  const queue = await running.ask('queue');
  const entry = queue.entries.at(-1).task;
  for (const text of [await said('queue'), await said('status'), await said('why', entry)]) {
    expect(text).toMatch(halted);
    expect(text).toContain('│ Error: src says main');
  }
  expect(queue.output).toMatchObject({ check: 'check', detail: 'exit 3', lines: expect.arrayContaining(['Error: src says main']) });
});
