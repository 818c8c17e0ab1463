import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { commits, file, SHELL, scriptedRepo, shellRepo } from './shell.ts';

const WAIT = { timeout: 6000, interval: 100 };
const states = async (running: TestFarm): Promise<string[]> => (await running.ask('list')).map((task: { state: string }) => task.state);
const progress = (running: TestFarm) => async () => (await running.events()).filter((event) => event.kind === 'agent.progress').length;

it('the question about a red head goes when the entry that met it is taken out', async () => {
  await using repo = await scriptedRepo('', { 'src/broken.txt': 'bad\n' });
  await writeBoard(repo, [{ id: 1, script: file(1) }]);
  await using running = farm(repo);
  expect((await running.furrow('work', '--parallel', '1')).code).toBe(1);
  await running.furrow('queue', 'eject', '1');
  await repo.write('src/broken.txt', 'good\n');
  await repo.git('commit', '--quiet', '--all', '--message', 'mended');
  await expect
    .poll(async () => (await running.ask('status')).attention.map((one: { kind: string }) => one.kind), WAIT)
    .not.toContain('queue');
});

it('rework that merges what the user changed in a protected path is not blamed for it', async () => {
  const wait = 'furrow progress "attempt $FURROW_ATTEMPT"; while [ ! -e "$HOME/go" ]; do sleep 0.05; done';
  const second =
    'git merge --quiet --no-edit "$FURROW_BASE" || { git checkout --quiet --ours src/list.txt; git add -A src; git commit --quiet --no-edit; }; exit 0';
  await using repo = await shellRepo(
    { 1: `[ "$FURROW_ATTEMPT" = 1 ] || { ${second}; }; ${wait}; echo agent > src/list.txt; git commit --quiet -am 1` },
    `${SHELL}protect: ["infra/**"]\nattempts: 2\n`,
    { 'infra/a': 'a\n' },
  );
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(progress(running), WAIT).toBe(1);
  await repo.write('infra/a', 'b\n');
  await repo.write('src/list.txt', 'user\n');
  await repo.git('commit', '--quiet', '--all', '--message', 'by the user');
  await repo.write('../home/go', '');
  await expect.poll(() => states(running), { timeout: 8000 }).toEqual(['landed']);
});

it('why answers for an entry that was submitted without a task', async () => {
  await using repo = await scriptedRepo('', { 'check.sh': 'while [ ! -e ../../../../gate ]; do sleep 0.05; done\n' });
  await repo.git('switch', '--quiet', '--create', 'mine');
  await repo.write('src/x.txt', 'x\n');
  await repo.git('add', 'src');
  await repo.git('commit', '--quiet', '--message', 'x');
  await repo.git('switch', '--quiet', 'main');
  await using running = farm(repo);
  const { task } = await running.ask('submit', 'mine');
  const why = await running.furrow('why', task);
  expect(why, why.stderr).toMatchObject({ code: 0 });
});

it('an index that agents of two phases have is refused, and none of them is stopped', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, status: 'archived' }], 'a');
  await writeBoard(repo, [{ id: 1, status: 'archived' }], 'b');
  await using running = farm(repo);
  for (const phase of ['a', 'b']) await running.furrow('work', phase, '--parallel', '1', '--until', 'forever', '--detach');
  const stop = await running.furrow('stop', '1');
  expect(stop.code).toBe(1);
  expect((await running.ask('status')).agents.map((one: { state: string }) => one.state)).toEqual(['idle', 'idle']);
});

it('work ends with 1 when every agent of it was stopped by name, since no task can move on', async () => {
  await using repo = await shellRepo({ 1: `furrow progress x; sleep 60; ${commits('1')}` });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(progress(running), WAIT).toBe(1);
  await running.furrow('stop', '1');
  await expect.poll(async () => (await running.ask('status')).farm.state, WAIT).toBe('stopped');
});
