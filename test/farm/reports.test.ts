import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { agentEnv, farm, furrowIn, type TestFarm } from '../support/farm.ts';
import { commits, shellRepo } from './shell.ts';

const heard = async (running: TestFarm, kind: string) => (await running.events()).filter((event) => event.kind === kind);

it('a report for an attempt that has ended changes nothing, and is told so with exit 1', async () => {
  const stay = 'furrow progress here; while [ ! -e "$HOME/go" ]; do sleep 0.05; done';
  await using repo = await shellRepo({ 1: `[ "$FURROW_ATTEMPT" != 1 ] || exit 3; ${stay}; ${commits('1')}` });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await heard(running, 'agent.progress')).length).toBe(1);
  const first = (await running.ask('show', '1')).attempts.find(({ n }: { n: number }) => n === 1).agent;
  const speaker = await agentEnv(repo, 1, { agent: first, task: '1', attempt: 1 });
  for (const words of [
    ['done', '--summary', 'late'],
    ['blocked', '--reason', 'late'],
    ['progress', 'late'],
  ]) {
    const said = await furrowIn(repo, { env: speaker }, ...words);
    expect(said).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('attempt 1 of 1 has ended') });
  }
  const other = await furrowIn(repo, { env: { ...speaker, FURROW_ATTEMPT: '2', FURROW_AGENT: 'somebody-else' } }, 'done');
  expect(other.code).toBe(1);
  expect((await running.ask('list'))[0]).toMatchObject({ state: 'leased', attempt: 2 });
  expect(await heard(running, 'agent.done')).toEqual([]);
  await repo.write('../home/go', '');
  await expect.poll(async () => (await running.ask('list'))[0].state).toBe('landed');
  expect(await heard(running, 'agent.progress')).toHaveLength(1);
});

it('progress is in the log of the task and of the agent; blocked by word is a question with its reason', async () => {
  await using repo = await shellRepo({ 1: 'furrow progress "half way there"; furrow blocked --reason "which colour?"; exit 0' });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 1, stdout: expect.stringContaining('which colour?') });
  const [event] = await heard(running, 'agent.progress');
  for (const which of [
    ['--task', '1'],
    ['--agent', event!.agent!],
  ])
    expect((await running.furrow('log', ...which)).stdout).toContain('half way there');
  expect((await running.ask('status')).attention).toMatchObject([{ kind: 'blocked', subject: '1', reason: 'which colour?' }]);
});

it('nobody but an agent of furrow can speak for an attempt', async () => {
  await using repo = await shellRepo({});
  await using running = farm(repo);
  const said = await running.furrow('done');
  expect(said).toMatchObject({ code: 2, stderr: expect.stringContaining('FURROW_ATTEMPT') });
});

it('done with evidence ends the attempt although its process lingers', async () => {
  await using repo = await shellRepo({ 1: `${commits('1')}; furrow done --summary "all of it" > "$HOME/said"; sleep 600` });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const work = await running.furrow('work', '--parallel', '1');
  expect(work, work.stderr).toMatchObject({ code: 0 });
  expect(await readFile(join(repo.home, 'said'), 'utf8')).toContain('handed in');
  expect(await repo.git('show', 'main:src/1.txt')).toBe('1');
});
