import { expect, it } from 'vitest';
import { look } from '../support/processes.ts';
import { windows } from './windows.ts';

it('a full context is handed over in the same attempt; what waits for leave outlives the daemon', async () => {
  await using it = await windows((gate) => [
    { id: 1, script: ['write 1.txt 1', 'commit half', 'context', 'write 1b.txt 1', 'commit rest'] },
    { id: 2, script: [gate('begin'), 'permission sh asked.sh', 'write 2.txt 2', 'commit 2'] },
  ]);
  await it.farm.furrow('work', '--parallel', '2', '--detach');
  await expect.poll(() => it.main('1b.txt')).toBe('1');
  expect((await it.farm.ask('show', '1')).attempts).toMatchObject([{ n: 1, outcome: 'submitted' }]);
  expect(await it.told()).toMatch(/You take over from a conversation that ended.*its context was full.*half/);

  await it.open('begin');
  const asked = await it.question('permission');
  const { pid } = (await it.farm.ask('status')).farm;
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => look(pid)).toBeUndefined();
  expect(await it.agent('2')).toMatchObject({ state: 'waiting', detail: 'permission' });
  expect(await it.question('permission')).toMatchObject({ id: asked.id, reason: asked.reason });
  expect(await it.farm.furrow('answer', asked.id, 'allow')).toMatchObject({ code: 0 });
  expect(await it.settled()).toBe(0);
  expect(await it.main('2.txt')).toBe('2');
  expect((await it.farm.ask('status')).attention).toEqual([]);
});
