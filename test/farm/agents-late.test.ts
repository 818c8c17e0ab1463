import { expect, it } from 'vitest';
import { look } from '../support/processes.ts';
import { windows } from './windows.ts';

const REMINDER = 'You ended your turn, but there is no commit on the branch';

it('a turn that ended while no daemon was there is judged by the next one: what is missing is told by message, once, and the task lands', async () => {
  await using it = await windows((gate) => [{ id: 1, script: [gate('alone'), 'turn', gate('told'), 'write 1.txt 1', 'commit 1'] }]);
  await it.farm.furrow('work', '--parallel', '1', '--detach');
  await it.at('alone');
  const { name } = await it.agent('1');
  const { pid } = (await it.farm.ask('status')).farm;
  process.kill(pid, 'SIGKILL');
  await expect.poll(() => look(pid)).toBeUndefined();
  await it.open('alone');
  // The agent's own conversation says so; whoever would ask furrow would start the daemon.
  await expect.poll(it.told).toContain('"on":"ended"');
  expect(await it.told()).not.toContain(REMINDER);

  expect((await it.farm.ask('status')).farm.pid).not.toBe(pid);
  await it.at('told');
  const [reminder, ...more] = (await it.farm.ask('inbox', name)).messages;
  expect([reminder, more]).toMatchObject([{ from: 'furrow', state: 'delivered', body: expect.stringContaining(REMINDER) }, []]);
  // Another one finds nothing that was not judged.
  const second = (await it.farm.ask('status')).farm.pid;
  process.kill(second, 'SIGKILL');
  await expect.poll(() => look(second)).toBeUndefined();
  await it.farm.ask('status');
  await it.open('told');
  expect(await it.settled()).toBe(0);
  expect(await it.main('1.txt')).toBe('1');
  const told = (await it.told()).split('\n').filter((line) => line.includes(REMINDER));
  expect(told.map((line) => JSON.parse(line))).toMatchObject([{ on: 'user', by: 'typed' }]);
  expect((await it.farm.events()).filter(({ text }) => text.includes('is told what is missing'))).toHaveLength(1);
  expect((await it.farm.ask('show', '1')).attempts).toMatchObject([{ n: 1, outcome: 'submitted' }]);
});
