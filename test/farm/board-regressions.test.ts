import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { commits, shellRepo } from './shell.ts';

it('a task whose file was deleted while it ran is not tried again when that attempt fails', async () => {
  await using repo = await shellRepo({ 1: `furrow progress here; while [ ! -e "$HOME/go" ]; do sleep 0.05; done; exit 3` });
  const [name] = await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.events()).some((event) => event.kind === 'agent.progress')).toBe(true);
  await rm(join(repo.root, name!));
  await repo.write('../home/go', '');
  await expect.poll(async () => (await running.ask('status')).farm.state).toBe('stopped');
  expect((await running.events()).filter((event) => event.kind === 'attempt.ended')).toHaveLength(1);
  expect(await running.ask('list')).toMatchObject([
    { id: '1', state: 'waiting', reason: expect.stringMatching(/its file is not on the board/) },
  ]);
});

it('a task that was just written is seen by the next command', async () => {
  await using repo = await shellRepo({});
  await writeBoard(repo, [{ id: 1, status: 'archived' }]);
  await using running = farm(repo);
  await running.ask('list');
  for (const id of [2, 3, 4, 5, 6, 7]) {
    await writeBoard(repo, [{ id }]);
    expect((await running.ask('list')).map((task: { id: string }) => task.id)).toContain(String(id));
  }
});

it("a task whose file was gone for a while is worked on again by a person's word, and its attempts are counted on", async () => {
  await using repo = await shellRepo({ 1: commits('by-attempt-$FURROW_ATTEMPT') });
  const [name] = await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  await rm(join(repo.root, name!));
  expect(await running.ask('list')).toMatchObject([{ id: '1', state: 'landed', missing: expect.any(String) }]);
  await writeBoard(repo, [{ id: 1 }]);
  expect(await running.ask('list')).toMatchObject([{ id: '1', state: 'landed', attempt: 1, missing: null }]);
  await running.furrow('move', '1', 'todo');
  await running.furrow('work', '--parallel', '1', '--detach');
  await expect.poll(async () => (await running.ask('list'))[0]).toMatchObject({ state: 'landed', attempt: 2 });
  // Landed is on the verified head; the branch follows a moment later.
  await expect.poll(() => repo.git('ls-tree', '--name-only', 'main', 'src/')).toContain('src/by-attempt-2.txt');
});

it('a task that an agent blocked asks no longer when it is unblocked in its file', async () => {
  await using repo = await shellRepo({ 1: 'furrow blocked --reason "which colour?"; exit 0' });
  const [name] = await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  await running.furrow('work', '--parallel', '1');
  const attention = async () => (await running.ask('status')).attention;
  expect(await attention()).toMatchObject([{ kind: 'blocked', reason: expect.stringContaining('which colour?') }]);
  await expect.poll(() => readFile(join(repo.root, name!), 'utf8')).toContain('which colour?');
  await writeBoard(repo, [{ id: 1 }]);
  await expect.poll(attention).toEqual([]);
});
