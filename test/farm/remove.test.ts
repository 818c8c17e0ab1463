import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

it('a task that nobody worked on is taken off the board, its file is kept, and no other task is left to wait for it', async () => {
  await using repo = await shellRepo({ 1: commits('1') }, SHELL);
  await writeBoard(repo, [{ id: 1 }, { id: 2, title: 'Second' }, { id: 3, title: 'Third', depends_on: [2] }]);
  await using running = farm(repo);
  const ids = async () => ((await running.furrow('list', '--json')).json() as { id: string }[]).map(({ id }) => id);

  const needed = await running.furrow('remove', '2');
  expect(needed.code).toBe(1);
  expect(needed.stderr).toContain('3 waits for 2');
  expect(await ids()).toEqual(['1', '2', '3']);

  const unknown = await running.furrow('remove', '3', '9');
  expect(unknown.code).toBe(1);
  expect(await ids(), 'all or none').toEqual(['1', '2', '3']);

  const done = await running.furrow('remove', '2', '3', '--json');
  expect(done, done.stderr).toMatchObject({ code: 0 });
  const { removed } = done.json() as { removed: { id: string; file: string }[] };
  expect(removed.map(({ id }) => id)).toEqual(['2', '3']);
  expect(readFileSync(removed[0]!.file, 'utf8')).toContain('Second');
  expect(await ids()).toEqual(['1']);
  const added = await running.furrow('add', 'Fourth');
  expect(added.stdout.trim(), 'a number is not given twice').toBe('4');

  await running.furrow('work', '--parallel', '1');
  const landed = await running.furrow('remove', '1');
  expect(landed.code).toBe(1);
  expect(landed.stderr).toContain('furrow edit 1 --status archived');
});
