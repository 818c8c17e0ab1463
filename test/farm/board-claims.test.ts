import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import type { In } from '../../src/api/contract.ts';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

it("a person's claim keeps agents away, a parked task has none, furrow's own writes are nobody's edits, plan has the agents of the last work, and a wrong field changes nothing", async () => {
  await using repo = await shellRepo({ 1: commits('1'), 2: 'exit 3', 3: commits('3'), 4: commits('4') }, `${SHELL}attempts: 1\n`);
  const claim = { claimed_by: 'ada', claimed_at: new Date().toISOString() };
  const names = await writeBoard(repo, [{ id: 1, more: claim }, { id: 2 }, { id: 3 }, { id: 4, status: 'archived' }]);
  const [first, second] = names.map((name) => join(repo.root, name)) as [string, string];
  const claimed = await readFile(first, 'utf8');
  await using running = farm(repo);
  const work = await running.furrow('work', '--parallel', '2', '--no-preflight');
  expect(work).toMatchObject({ code: 1, stdout: expect.stringContaining('claimed by ada') });
  expect(await readFile(first, 'utf8')).toBe(claimed);
  expect(await readFile(second, 'utf8')).not.toContain('claimed_by');
  expect((await running.events()).filter((event) => event.kind === 'task.edited')).toEqual([]);

  expect(await running.furrow('retry', '4')).toMatchObject({ code: 1, stderr: expect.stringContaining('4 is archived') });
  await running.furrow('edit', '1', '--release');
  const agents = (await running.events()).filter((event) => event.kind === 'agent.spawned').map((event) => event.agent);
  const plan = await running.ask('plan');
  expect(plan.order).toMatchObject([{ id: '1', now: true }]);
  expect(agents).toContain(plan.order[0].agent);
  await running.furrow('queue', 'pause');
  expect((await running.furrow('status')).stdout).toContain('paused: furrow queue resume');
  expect(await running.furrow('add', 'x', '--due', 'soon')).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('--due must be a date'),
  });

  const client = await connect(repo.root, { start: false });
  const before = await readFile(first, 'utf8');
  const wrong: [Partial<In<'add'>>, string][] = [
    [{ priority: 'urgent' }, 'no priority urgent'],
    [{ class: 'gold' }, 'no class gold'],
    [{ agent: 'clod' }, 'no agent kind clod'],
    [{ depends_on: ['99'] }, 'no task 99'],
    [{ due: 'soon' }, 'not "soon"'],
  ];
  for (const [fields, why] of wrong) {
    await expect(client.call('add', { title: 'Never', ...fields })).rejects.toThrow(why);
    await expect(client.call('edit', { task: '1', title: 'Never', ...fields })).rejects.toThrow(why);
  }
  expect((await client.call('list', {})).tasks).toHaveLength(4);
  expect(await readFile(first, 'utf8')).toBe(before);
  await client.call('edit', { task: '1', due: 'tomorrow' });
  expect(await readFile(first, 'utf8')).toMatch(/^due: "?\d{4}-\d\d-\d\d"?$/m);
  client.close();
});
