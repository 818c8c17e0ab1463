import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm, type TestFarm } from '../support/farm.ts';
import { SHELL, shellRepo } from './shell.ts';

const until = (file: string) => `while [ ! -e "$HOME/${file}" ]; do sleep 0.05; done`;
/** Rewrites the list from what it finds there: a second one on the same base conflicts with it. */
const rewrites = (text: string) => `echo "$(head -1 src/list.txt) ${text}" > src/list.txt; git commit --quiet -am ${text}`;
const queue = async (running: TestFarm) =>
  (await running.ask('queue')).entries as { task: string; state: string; code: string; reason: string }[];
const list = async (running: TestFarm) => (await running.ask('list')) as { id: string; state: string; attempt: number }[];
const GATED = { 'check.sh': 'case "$PWD" in */slots/*) while [ ! -e ../../../home/go ]; do sleep 0.05; done;; esac\n' };

it('with `leases: enforce` a task starts on its paths only when the work before it has landed, and nothing is sent back', async () => {
  await using repo = await shellRepo({ 1: rewrites('one'), 2: rewrites('two') }, `${SHELL}leases: enforce\nqueue: { caches: [] }\n`, GATED);
  await writeBoard(repo, [
    { id: 1, paths: ['src/*'] },
    { id: 2, paths: ['src/list.txt'] },
  ]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2', '--detach', '--no-preflight');
  await expect.poll(async () => (await queue(running)).map(({ task }) => task)).toEqual(['1']);
  // Its attempt is over, its work waits for the check, and its paths are kept.
  await expect.poll(async () => (await running.ask('why', '2')).reasons[0]?.text).toMatch(/waits for src\/list\.txt: task 1 holds src\/\*/);
  expect((await running.ask('locks')).leases).toMatchObject([{ state: 'held', holder: 'task 1', task: '1', names: ['src/*'] }]);
  await writeFile(join(repo.home, 'go'), '');
  expect((await running.furrow('work', '--parallel', '2')).code).toBe(0);
  expect((await list(running)).map(({ state, attempt }) => [state, attempt])).toEqual([
    ['landed', 1],
    ['landed', 1],
  ]);
  expect(await repo.git('show', 'main:src/list.txt')).toBe('list one two');
  expect((await running.ask('locks')).leases).toEqual([]);
});

it('work that went past a lease waits until the work of the holder has landed: the holder is not sent back', async () => {
  const again =
    '[ "$FURROW_ATTEMPT" = 1 ] || { git checkout --quiet "$FURROW_BASE" -- src; git commit --quiet --allow-empty -am again; exit 0; }';
  await using repo = await shellRepo({
    1: `touch "$HOME/holds"; ${until('submitted')}; ${rewrites('holder')}`,
    2: `${until('holds')}; ${again}; ${rewrites('other')}`,
  });
  await writeBoard(repo, [{ id: 1, paths: ['src/list.txt'] }, { id: 2 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '2', '--detach');
  await expect
    .poll(() => queue(running))
    .toMatchObject([{ task: '2', code: 'lease', reason: expect.stringContaining('changes src/list.txt') }]);
  await writeFile(join(repo.home, 'submitted'), '');
  await expect.poll(async () => (await list(running))[0]).toMatchObject({ state: 'landed', attempt: 1 });
  await expect.poll(async () => (await list(running))[1]!.attempt).toBe(2);
});
