import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { shellRepo } from './shell.ts';

const WAIT = 'while [ ! -e "$HOME/go" ]; do sleep 0.05; done';
const change = (text: string) => `echo ${text} > src/list.txt; furrow progress "${text} is written"; ${WAIT}; exit 75`;

it('two agents that change the same lines are named while nothing is committed, each is told once, and nothing of theirs is touched', async () => {
  await using repo = await shellRepo({
    1: change('one'),
    2: change('two'),
    3: `echo 3 > src/3.txt; furrow progress "3"; ${WAIT}; exit 75`,
  });
  await writeBoard(repo, [{ id: 1 }, { id: 2 }, { id: 3 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '3', '--detach');
  const told = async () => (await running.events()).filter((event) => event.kind === 'conflict.predicted');
  await expect.poll(async () => (await told()).length).toBe(2);
  const asked = await running.furrow('conflicts', '--json');
  expect(asked).toMatchObject({ code: 1 });
  expect(asked.json()).toEqual({ pairs: [{ a: '1', b: '2', paths: ['src/list.txt'] }], with_target: [] });
  await running.furrow('conflicts');
  const { agents } = await running.ask('status');
  const of = (task: string) => agents.find((one: { task: string }) => one.task === task).name;
  const lines = await told();
  expect(lines.map((event) => event.agent).sort()).toEqual([of('1'), of('2')].sort());
  expect(lines.map((event) => event.text).join()).toContain('src/list.txt');
  for (const task of ['1', '2']) {
    const { worktree } = agents.find((one: { task: string }) => one.task === task);
    expect(await repo.git('-C', worktree, 'status', '--porcelain')).toBe(' M src/list.txt');
  }
  await repo.write('../home/go', '');
  await running.furrow('stop', '--now');
});

it('work that conflicts with what has landed since is named, and nothing is when nobody works', async () => {
  await using repo = await shellRepo({ 1: change('one') });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  expect(await running.furrow('conflicts')).toMatchObject({ code: 0, stdout: expect.stringContaining('no conflicts') });
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.progress')).toBe(true);
  await repo.write('src/list.txt', 'mine\n');
  await repo.git('commit', '--quiet', '--all', '--message', 'by the user');
  await expect
    .poll(async () => (await running.furrow('conflicts', '--json')).json().with_target)
    .toEqual([{ task: '1', paths: ['src/list.txt'] }]);
  await repo.write('../home/go', '');
});
