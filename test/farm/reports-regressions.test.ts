import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, furrowIn } from '../support/farm.ts';
import { commits, shellRepo } from './shell.ts';

it('a report for an attempt that has ended is in the log', async () => {
  await using repo = await shellRepo({ 1: commits('1') });
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  const env = { FURROW_AGENT: 'quick-oak', FURROW_TASK: '1', FURROW_PHASE: 'default', FURROW_ATTEMPT: '1' };
  expect((await furrowIn(repo, { env }, 'done')).code).toBe(1);
  expect((await running.events()).filter((event) => event.kind === 'task.stale')).toMatchObject([
    { agent: 'quick-oak', task: '1', attempt: 1 },
  ]);
});
