import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { windows } from './windows.ts';

it('a limit of one account moves its agent to another; when all have met one, the kind waits; the folder is named to the agent and shown', async () => {
  const agents = { two: { driver: 'scripted', mode: 'window', permission: 'act', accounts: ['~/.work', '~/.home'] } };
  await using it = await windows((gate) => [{ id: 1, script: [gate('gate'), 'limit 3600'] }], { config: { agent: 'two', agents } });
  const events = async (kind: string) => (await it.farm.events()).filter((event) => event.kind === kind);
  const environment = (pid: string) => {
    try {
      return readFileSync(`/proc/${pid}/environ`, 'utf8');
    } catch {
      return '';
    }
  };
  /** The folders that are named to the agents of this farm which live now. */
  const folders = () =>
    readdirSync('/proc').flatMap(
      (pid) => (/^\d+$/.test(pid) && environment(pid).match(`SCRIPTED_HOME=(${it.repo.home}[^\0]*)`)?.[1]) || [],
    );
  await it.farm.furrow('work', '--parallel', '2', '--detach');
  await it.at('gate');
  expect(await it.agent('1')).toMatchObject({ account: '~/.work' });
  expect((await it.farm.furrow('status')).stdout).toMatch(/^accounts: \S+ ~\/\.work$/m);
  const [started] = await events('attempt.started');
  expect(started).toMatchObject({ text: expect.stringContaining('starts on 1, attempt 1, with the account ~/.work') });
  expect([...new Set(folders())]).toEqual([join(it.repo.home, '.work')]);
  await it.open('gate');

  await expect.poll(() => events('attempt.relaunched')).toHaveLength(1);
  const [moved] = await events('attempt.relaunched');
  expect(moved!.text).toContain('with the account ~/.home: its account met a limit, and another one is free');
  expect(await it.agent('1')).toMatchObject({ account: '~/.home', attempt: 1 });
  expect([...new Set(folders())]).toEqual([join(it.repo.home, '.home')]);

  // The same script meets the limit of the other one.
  await expect.poll(() => events('provider.limited')).toHaveLength(2);
  expect((await it.farm.furrow('why', '1')).stdout).toContain('with the account ~/.home');
  await it.farm.furrow('add', 'Second');
  const limited = expect.objectContaining({
    code: 'limited',
    text: expect.stringMatching(/^scripted \(~\/\.(work|home)\) limits requests until /),
  });
  await expect.poll(async () => (await it.farm.ask('why', '2')).reasons).toContainEqual(limited);
  expect(await events('attempt.relaunched')).toHaveLength(1);
});
