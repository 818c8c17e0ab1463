import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import { titled, without } from '../support/needs.ts';
import { commits, shellRepo } from './shell.ts';

const config = (level: string) =>
  `agent: sh\nagents:\n  sh: { driver: command, run: ${JSON.stringify(commits('a'))}, permission: fence }\n  open: { driver: command, run: ${JSON.stringify(commits('b'))} }\ncheck: sh check.sh\nisolation: ${level}\n`;

it('an agent for which the fence is enough is not started without one; an agent of another kind is', async () => {
  await using repo = await shellRepo({}, config('none'));
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  const done = await running.furrow('work', '--parallel', '1');
  expect(done.code).not.toBe(0);
  expect(done.stderr).toContain('agents of kind sh have permission: fence, and there is no fence: isolation is none (furrow.yaml says so)');
  await writeBoard(repo, [{ id: 1 }, { id: 2, agent: 'open' }]);
  expect((await running.furrow('work', '--parallel', '2', '--agent', 'open')).code).toBe(0);
  await writeBoard(repo, [{ id: 3, agent: 'sh' }]);
  expect((await running.furrow('work', '--parallel', '1', '--agent', 'open')).code).toBe(1);
  expect((await running.ask('show', '3')).attempts).toEqual([]);
  expect((await running.furrow('why', '3')).stdout).toContain('permission: fence');
  expect((await running.furrow('doctor')).stdout).toContain('sh: permission: fence, and there is no fence');
});

it.skipIf(without('bwrap'))(titled('bwrap', 'with a fence it is, and furrow config and doctor say that it asks nobody'), async () => {
  await using repo = await shellRepo({}, config('guard'));
  await writeFile(join(repo.home, 'key'), 'secret');
  await writeBoard(repo, [{ id: 1 }]);
  await using running = farm(repo);
  expect(await running.furrow('work', '--parallel', '1')).toMatchObject({ code: 0 });
  expect((await running.furrow('config')).stdout).toContain('# the fence is enough for sh');
  expect((await running.furrow('doctor')).stdout).toContain('sh: permission: fence: it asks nobody');
});
