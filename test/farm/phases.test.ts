import { expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { file, scriptedRepo } from './shell.ts';

it('without a phase, plan, add and work take the first that has open tasks; a phase or an agent that is not there is named', async () => {
  await using repo = await scriptedRepo();
  await writeBoard(repo, [{ id: 1, status: 'done' }], 'a');
  await writeBoard(repo, [{ id: 1, script: file('b1') }], 'b');
  await writeBoard(repo, [{ id: 1, script: file('c1') }], 'c');
  await using running = farm(repo);
  expect((await running.ask('plan')).phase).toBe('b');
  const client = await connect(repo.root, { start: false });
  const body = ['```script', ...file('b2'), '```'].join('\n');
  expect(await client.call('add', { title: 'More', body })).toMatchObject({ phase: 'b' });
  const work = await running.furrow('work', '--parallel', '1');
  expect(work).toMatchObject({ code: 0, stdout: expect.stringContaining('2 of 2 tasks of b landed') });
  expect(await client.call('plan', {})).toMatchObject({ phase: 'c' });

  const unknown = { code: 'NO_PHASE', message: expect.stringContaining('no phase foo'), hint: 'it has a, b, c' };
  await expect(client.call('list', { phase: 'foo' })).rejects.toMatchObject(unknown);
  await expect(client.call('plan', { phase: 'foo' })).rejects.toMatchObject(unknown);
  await expect(client.call('work', { phase: 'foo' })).rejects.toMatchObject(unknown);
  client.close();
  const nobody = await running.furrow('log', '--agent', 'nobody');
  expect(nobody).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(/no agent nobody\n.*furrow status/) });
});
