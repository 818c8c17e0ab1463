import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import type { TestRepo } from '../support/repo.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

const wait = (name: string) => `while [ ! -e "$HOME/${name}" ]; do sleep 0.05; done`;

/** A farm with one agent at work, which reads its messages once it is told to, and its name. */
async function atWork(repo: TestRepo, script: string) {
  await repo.write('do/1.sh', script);
  await repo.commit('its script');
  await writeBoard(repo, [{ id: 1 }]);
  const running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  const agents = async () => (await running.ask('status')).agents;
  await expect.poll(async () => (await agents())[0]?.state, { timeout: 30_000 }).toBe('working');
  return { running, name: (await agents())[0].name as string };
}

it('messages cross between two farms that both allow it, under the name that the receiving daemon knows', async () => {
  const config = (circle: string) => `${SHELL}circle: ${circle}\n`;
  await using api = await shellRepo({}, config('{ name: api, send: [web] }'));
  await using web = await shellRepo({}, config('{ name: web, accept: [api] }'));
  web.env['HOME'] = api.home;
  const listens = await atWork(web, `${wait('go')}; furrow inbox > "$HOME/inbox"; ${commits('1')}`);
  await using there = listens.running;
  const to = `web:${listens.name}`;
  const talks = await atWork(api, `furrow notify ${to} "mind the gap"; ${wait('go')}; ${commits('1')}`);
  await using here = talks.running;

  const farms = (await here.ask('farms')).farms;
  expect(farms).toMatchObject([
    { name: 'api', repo: api.root },
    { name: 'web', repo: web.root },
  ]);
  const got = async () => (await there.ask('inbox')).messages;
  await expect.poll(got, { timeout: 30_000 }).toMatchObject([{ from: `api:${talks.name}`, to: listens.name, body: 'mind the gap' }]);
  expect(await here.furrow('notify', to, 'from a person')).toMatchObject({ code: 0, stdout: expect.stringContaining(to) });
  expect((await got()).map((one: { from: string }) => one.from)).toEqual([`api:${talks.name}`, 'api:human']);

  // One way only; and nobody but a daemon speaks for a farm.
  expect(await there.furrow('notify', `api:${talks.name}`, 'x')).toMatchObject({ code: 1, stderr: expect.stringContaining('send: [api]') });
  const person = await connect(web.root, { start: false });
  await expect(person.call('receive', { sender: talks.name, to: listens.name, text: 'x', key: 'k' })).rejects.toMatchObject({
    code: 'NOT_A_FARM',
  });
  person.close();

  await api.write('../home/go', '');
  await there.furrow('stop', '--all');
  expect((await here.ask('farms')).farms).toMatchObject([{ name: 'api' }]);
  expect(await here.furrow('notify', to, 'x')).toMatchObject({ code: 1, stderr: expect.stringContaining('no farm named web') });
  await here.furrow('stop', '--all');
  expect(readdirSync(join(api.home, '.config/furrow/farms'))).toEqual([]);
});
