import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { agentEnv, farm, furrowIn } from '../support/farm.ts';
import { commits, shellRepo } from './shell.ts';

it('a report for an attempt that has ended is in the log', async () => {
  await using repo = await shellRepo({ 1: commits('1') });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  const [{ agent }] = (await running.ask('show', '1')).attempts;
  const env = await agentEnv(repo, 1, { agent, task: '1', attempt: 1 });
  expect((await furrowIn(repo, { env }, 'done')).code).toBe(1);
  expect((await running.events()).filter((event) => event.kind === 'task.stale')).toMatchObject([{ agent, task: '1', attempt: 1 }]);
});
