import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { connect } from '../../src/api/client.ts';
import { writeBoard } from '../support/board.ts';
import { farm } from '../support/farm.ts';
import type { TestRepo } from '../support/repo.ts';
import { commits, SHELL, shellRepo } from './shell.ts';

const wait = (name: string) => `while [ ! -e "$HOME/${name}" ]; do sleep 0.05; done`;

/** Answers the newest question, once it is another one than the last that was answered. */
const answers = (text: number) =>
  `until m=$(furrow inbox --json | grep -o '"id":"[0-9]*","kind":"ask"' | tail -n 1 | tr -dc 0-9) && [ "\${m:-0}" -gt "\${n:-0}" ]; do sleep 0.3; done; furrow reply $m ${text}; n=$m`;

/** A farm with one agent at work, which reads its messages once it is told to, and its name. */
async function atWork(repo: TestRepo, script: string) {
  await repo.write('do/1.sh', script);
  await repo.commit('its script');
  await writeBoard(repo, [{ id: 1 }]);
  const running = farm(repo);
  await running.furrow('work', '--parallel', '1', '--detach');
  const agents = async () => (await running.ask('status')).agents;
  await expect.poll(async () => (await agents())[0]?.state).toBe('working');
  return { running, name: (await agents())[0].name as string };
}

it('messages cross between two farms that both allow it, and so do questions with their answers, under the names that the daemons know', async () => {
  const config = (circle: string) => `${SHELL}circle: ${circle}\n`;
  await using api = await shellRepo({}, config('{ name: api, send: [web], accept: [web] }'));
  await using web = await shellRepo({}, config('{ name: web, send: [api], accept: [api] }'));
  web.env['HOME'] = api.home;
  const listens = await atWork(web, `${answers(8080)}; ${wait('again')}; ${answers(9090)}; ${wait('go')}; ${commits('1')}`);
  await using there = listens.running;
  const to = `web:${listens.name}`;
  const asks = `furrow ask --to ${to} "which port?"; until furrow inbox | grep 8080 > "$HOME/answer"; do sleep 0.3; done`;
  const talks = await atWork(api, `furrow notify ${to} "mind the gap"; ${asks}; ${wait('go')}; ${commits('1')}`);
  await using here = talks.running;

  const farms = (await here.ask('farms')).farms;
  expect(farms).toMatchObject([
    { name: 'api', repo: api.root },
    { name: 'web', repo: web.root },
  ]);
  const got = async () => (await there.ask('inbox')).messages;
  const asked = { from: `api:${talks.name}`, to: listens.name, kind: 'ask', body: 'which port?', receipt: 'answered' };
  await expect.poll(got).toMatchObject([{ from: `api:${talks.name}`, to: listens.name, body: 'mind the gap' }, asked]);
  const said = async () => (await here.ask('messages')).messages;
  await expect.poll(async () => (await said()).length).toBe(3);
  expect(await said()).toMatchObject([
    { from: talks.name, to, kind: 'notify', receipt: 'delivered' },
    { from: talks.name, to, kind: 'ask', receipt: 'answered' },
    { from: to, to: talks.name, kind: 'reply', body: '8080', answers: '2' },
  ]);
  await expect.poll(() => readFileSync(join(api.home, 'answer'), 'utf8')).toContain('8080');
  expect(await here.furrow('notify', to, 'from a person')).toMatchObject({ code: 0, stdout: expect.stringContaining(to) });
  expect((await got()).map((one: { from: string }) => one.from)).toEqual([`api:${talks.name}`, `api:${talks.name}`, 'api:human']);

  // Both daemons are killed while the question is open: it is answered by the next ones, and once.
  expect(await here.furrow('ask', '--to', to, 'and after a kill?')).toMatchObject({ code: 0 });
  for (const one of [here, there]) process.kill((await one.ask('status')).farm.pid, 'SIGKILL');
  await api.write('../home/again', '');
  const replies = async () => (await said()).filter((one: { kind: string; to: string }) => one.kind === 'reply' && one.to === 'human');
  await there.ask('status');
  await expect.poll(replies).toMatchObject([{ from: to, body: '9090' }]);

  // A question ends with its time in both farms, and the one that asked has told the other that nobody waits.
  expect(await here.furrow('ask', '--to', to, '--deadline', '1s', 'and now?')).toMatchObject({ code: 0 });
  await expect.poll(async () => (await said()).at(-2)).toMatchObject({ body: 'and now?', receipt: 'expired', state: 'delivered' });
  expect((await said()).at(-1)).toMatchObject({ from: 'furrow', to: 'human', body: expect.stringContaining('its deadline has passed') });
  expect((await got()).at(-1)).toMatchObject({ body: 'and now?', receipt: 'expired' });

  // Nobody is asked whom the other farm does not have, or in a farm that was not named; nobody but a daemon speaks for a farm.
  expect(await here.furrow('ask', '--to', 'web:nobody', 'x')).toMatchObject({ code: 1, stderr: expect.stringContaining('nobody') });
  expect((await said()).at(-1)).toMatchObject({ receipt: 'withdrawn', state: 'dead', reason: 'web has no agent nobody' });
  expect(await there.furrow('notify', 'shop:ann', 'x')).toMatchObject({ code: 1, stderr: expect.stringContaining('send: [shop]') });
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
