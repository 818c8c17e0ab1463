import { expect, it } from 'vitest';
import { windows } from './windows.ts';

const count = (text: string, part: string) => text.split(part).length - 1;

it('asks a person and waits; what comes meanwhile and the answer arrive once each; one that cannot go on is reminded three times', async () => {
  await using it = await windows(() => [
    { id: 1, script: ['ask Which database?', 'turn', 'turn', 'write 1.txt 1', 'commit 1'] },
    { id: 2, script: ['turn', 'turn', 'turn', 'say I do not know how', 'turn', 'write 2.txt 2', 'commit 2'] },
  ]);
  await it.farm.furrow('work', '--parallel', '2', '--detach');
  const asked = await it.question('ask');
  expect(asked.reason).toContain('Which database?');
  await expect.poll(() => it.agent('1')).toMatchObject({ state: 'waiting', detail: 'answer' });
  const { name } = await it.agent('1');
  await it.farm.furrow('notify', name, 'while you wait: mind the gap');
  await expect.poll(async () => (await it.farm.ask('inbox', name)).messages).toMatchObject([{ state: 'delivered' }]);
  await expect.poll(() => it.agent('1')).toMatchObject({ state: 'waiting', detail: 'answer' });
  expect((await it.farm.ask('queue')).entries).toEqual([]);
  await it.farm.furrow('answer', asked.id, 'SQLite, of course');

  const blocked = await it.question('blocked');
  expect(blocked.reason).toMatch(/reminded 3 times.*there is no commit on the branch/);
  const told = await it.told();
  expect(count(told, 'You ended your turn, but there is no commit on the branch')).toBe(3);
  await expect.poll(() => it.main('1.txt')).toBe('1');
  expect([count(await it.told(), 'mind the gap'), count(await it.told(), 'SQLite, of course')]).toEqual([1, 1]);
  expect((await it.farm.ask('inbox', name)).messages).toMatchObject([{ state: 'delivered' }, { kind: 'reply', state: 'delivered' }]);
  expect(await it.main('2.txt')).toBeUndefined();
});
