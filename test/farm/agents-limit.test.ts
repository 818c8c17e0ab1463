import { expect, it } from 'vitest';
import { windows } from './windows.ts';

it('one that dies again and again is started again only so often; a limit of a provider starts nobody on it; others work on', async () => {
  const agents = {
    act: { driver: 'scripted', mode: 'window', permission: 'act' },
    sh: { driver: 'command', run: 'echo 4 > 4.txt' },
  };
  await using it = await windows(
    (gate) => [
      { id: 1, script: [gate('dying'), ...Array.from({ length: 20 }, () => 'crash')] },
      { id: 2, script: [gate('limit'), 'limit 3600'] },
    ],
    { config: { agents } },
  );
  await it.farm.furrow('work', '--parallel', '3', '--detach');
  await Promise.all([it.at('dying'), it.at('limit')]);
  await it.open('dying');
  await it.open('limit');
  await expect.poll(() => it.agent('2')).toMatchObject({ state: 'limited', until: expect.any(String) });
  await it.farm.furrow('add', 'Third', '--priority', 'high');
  await it.farm.furrow('add', 'Fourth', '--agent', 'sh');
  // The one free agent is not kept for what must not start.
  await expect.poll(() => it.main('4.txt')).toBe('4');
  const limited = expect.objectContaining({ code: 'limited', text: expect.stringMatching(/^scripted limits requests until /) });
  await expect.poll(async () => (await it.farm.ask('why', '3')).reasons).toContainEqual(limited);
  expect((await it.farm.ask('show', '3')).attempts).toEqual([]);

  const all = async (name: string) => (await it.farm.events()).filter(({ kind, task }) => kind === name && task?.endsWith('1'));
  await expect.poll(() => all('attempt.ended')).toMatchObject([{ data: { outcome: 'crashed' } }]);
  expect((await all('attempt.relaunched')).map(({ data }) => data)).toMatchObject([2, 3, 4].map((launch) => ({ launch, how: 'resume' })));
  expect((await it.farm.ask('show', '1')).attempts).toHaveLength(1);
});
